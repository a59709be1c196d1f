#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gather.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The heads of x: [batch, heads, steps, head], or [batch, steps, heads * head] if flat.
struct Heads {
  std::int64_t batch = 0, heads = 0, steps = 0, head = 0;
  bool flat = false;
};

/// The cosines or sines of each step, [batch, steps, half]: given in this form, or looked up by position.
inline Tensor step_angles(Tensor angles, const Tensor* positions, const Dims& dims, DType computed) {
  if (positions != nullptr) {
    if (angles.rank() != 2) throw failure({angles, " is not a table of angles"});
    angles = take_slices(angles, 0, positions->to<std::int64_t>(), positions->dims());
  }
  if (angles.dims() != dims) throw failure({"angles ", angles, " instead of ", dims});
  return cast(std::move(angles), computed);
}

/// Rotates pairs of the first elements of each head: neighbours if they are interleaved, else from both halves.
inline Tensor turn(Tensor x, const Heads& in, bool interleaved, const Tensor& cosines, const Tensor& sines) {
  const std::int64_t half = cosines.dims()[2];
  visit<float, double>(x.dtype(), [&]<class T>() {
    T* row = x.mutable_data<T>().data();
    for (std::int64_t i = 0; i < in.batch * in.heads * in.steps; ++i, row += in.head) {
      const std::int64_t batch = i / (in.heads * in.steps);
      const std::int64_t step = in.flat ? i / in.heads % in.steps : i % in.steps;
      const T* const cosine = cosines.data<T>().data() + (batch * in.steps + step) * half;
      const T* const sine = sines.data<T>().data() + (batch * in.steps + step) * half;
      for (std::int64_t k = 0; k < half; ++k) {
        T& a = row[interleaved ? 2 * k : k];
        T& b = row[interleaved ? 2 * k + 1 : half + k];
        const T real = cosine[k] * a - sine[k] * b;
        b = sine[k] * a + cosine[k] * b;
        a = real;
      }
    }
  });
  return x;
}

/// The same, from the inputs and attributes of a node. `head` is the size of a head of a flat x.
inline void rotate(KernelContext& ctx, std::int64_t head, std::int64_t turned, const Tensor& cosines,
                   const Tensor& sines, const Tensor* positions) {
  const DType dtype = ctx.input(0).dtype(), wide = computed_in(dtype);
  const Dims dims = ctx.input(0).dims();
  Heads in{dims[0], 0, dims[dims.size() - 2], head, dims.size() == 3};
  if (head < 1 || dims.back() % head != 0) throw failure({"no heads of ", head, " in ", dims});
  in.heads = in.flat ? dims[2] / head : dims[1];
  if (turned < 0 || turned > head || turned % 2 != 0)
    throw failure({turned, " of heads of ", head, " turned"}).field("rotary_embedding_dim");
  const Dims angles{in.batch, in.steps, turned / 2};
  const Tensor cosine = step_angles(cosines, positions, angles, wide),
               sine = step_angles(sines, positions, angles, wide);
  const bool interleaved = ctx.attr_or<std::int64_t>("interleaved", 0) != 0;
  ctx.set_output(0, cast(turn(cast(ctx.take_input(0), wide), in, interleaved, cosine, sine), dtype));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Su and others, "RoFormer", 2021. x is [batch, heads, steps, head] or [batch, steps, heads * head].
inline void rotary_embedding(KernelContext& ctx) {
  const Dims dims = ctx.input(0).dims();
  const bool flat = dims.size() == 3;
  const std::int64_t heads = flat ? ctx.attr_or<std::int64_t>("num_heads", 0) : dims.size() == 4 ? dims[1] : 0;
  if (heads < 1 || (flat && dims[2] % heads != 0)) throw detail::failure({"no heads of an input of ", dims});
  const std::int64_t head = flat ? dims[2] / heads : dims[3];
  const auto declared = ctx.attr<std::int64_t>("rotary_embedding_dim");
  detail::rotate(ctx, head, declared == 0 ? head : declared, ctx.input(1), ctx.input(2), ctx.optional_input(3));
}

/// com.microsoft's: angles are looked up; a single position is that of the first step. The width of the angle table
/// gives the head size of a flat x, unless only a part is rotated. It ignores `scale`, as ONNX Runtime's kernel does.
inline void contrib_rotary_embedding(KernelContext& ctx) {
  const Dims dims = ctx.input(0).dims();
  if ((dims.size() != 3 && dims.size() != 4) || ctx.input(2).rank() != 2)
    throw detail::failure({"no heads of an input of ", dims});
  const auto declared = ctx.attr_or<std::int64_t>("rotary_embedding_dim", 0);
  const auto heads = ctx.attr_or<std::int64_t>("num_heads", 0);
  if (ctx.attr_or<std::int64_t>("is_packed_batching", 0) != 0 || (declared > 0 && heads < 1))
    throw detail::failure({"batches are packed, or the number of heads is missing"});
  const std::int64_t whole = 2 * ctx.input(2).dims()[1];
  const std::int64_t head = dims.size() == 4 ? dims[3] : declared > 0 ? dims[2] / heads : whole;
  Tensor positions = ctx.input(1);
  if (positions.rank() < 2) {
    const auto first = positions.item<std::int64_t>();
    const Dims each{dims[0], dims[dims.size() - 2]};
    positions = Tensor(DType::i64, each);
    const auto steps = positions.mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = first + static_cast<std::int64_t>(i) % each[1];
  }
  detail::rotate(ctx, head, declared > 0 ? declared : head, ctx.input(2), ctx.input(3), &positions);
}

inline void add_rotary_embedding(Kernels& kernels) {
  kernels.add("RotaryEmbedding", rotary_embedding).add("com.microsoft::RotaryEmbedding", contrib_rotary_embedding);
}

}  // namespace graft::inline v1::standard_kernels
