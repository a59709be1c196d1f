#pragma once
#include <utility>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gather.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The cosines or sines of each step, [batch, steps, half]: given so, or looked up by position.
inline Tensor step_angles(const KernelContext& ctx, std::size_t input, const Dims& dims) {
  Tensor angles = ctx.input(input);
  if (ctx.has_input(3)) {
    if (angles.rank() != 2) throw failure({angles, " is no table of angles"});
    angles = take_slices(angles, 0, ctx.input(3).to<std::int64_t>(), ctx.input(3).dims());
  }
  if (angles.dims() != dims) throw failure({"angles ", angles, " instead of ", dims});
  return cast(std::move(angles), computed_in(ctx.input(0).dtype()));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Su and others, "RoFormer", 2021: turns pairs of the first rotary_embedding_dim elements of each head, neighbours if
/// they are interleaved, else from both halves. x is [batch, heads, steps, head] or [batch, steps, heads * head].
inline void rotary_embedding(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Dims dims = ctx.input(0).dims();
  const bool flat = dims.size() == 3;
  const std::int64_t heads = flat ? ctx.attr_or<std::int64_t>("num_heads", 0) : dims.size() == 4 ? dims[1] : 0;
  if (heads < 1 || (flat && dims[2] % heads != 0)) throw detail::failure({"no heads of an input of ", dims});
  const std::int64_t steps = flat ? dims[1] : dims[2];
  const std::int64_t head = flat ? dims[2] / heads : dims[3];
  const auto declared = ctx.attr<std::int64_t>("rotary_embedding_dim");
  const std::int64_t turned = declared == 0 ? head : declared;
  if (turned < 0 || turned > head || turned % 2 != 0)
    throw detail::failure({turned, " of heads of ", head, " turned"}).field("rotary_embedding_dim");
  const bool interleaved = ctx.attr<std::int64_t>("interleaved") != 0;
  const std::int64_t half = turned / 2;
  const Tensor cosines = detail::step_angles(ctx, 1, {dims[0], steps, half});
  const Tensor sines = detail::step_angles(ctx, 2, {dims[0], steps, half});

  Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    T* row = x.mutable_data<T>().data();
    for (std::int64_t i = 0; i < dims[0] * heads * steps; ++i, row += head) {
      const std::int64_t batch = i / (heads * steps);
      const std::int64_t step = flat ? i / heads % steps : i % steps;
      const T* const cosine = cosines.data<T>().data() + (batch * steps + step) * half;
      const T* const sine = sines.data<T>().data() + (batch * steps + step) * half;
      for (std::int64_t k = 0; k < half; ++k) {
        T& a = row[interleaved ? 2 * k : k];
        T& b = row[interleaved ? 2 * k + 1 : half + k];
        const T real = cosine[k] * a - sine[k] * b;
        b = sine[k] * a + cosine[k] * b;
        a = real;
      }
    }
  });
  ctx.set_output(0, detail::cast(std::move(x), dtype));
}

inline void add_rotary_embedding(Kernels& kernels) { kernels.add("RotaryEmbedding", rotary_embedding); }

}  // namespace graft::inline v1::standard_kernels
