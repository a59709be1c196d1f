#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <graft/evaluate/backward/gather.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/kernels/pad.hpp>

namespace graft::inline v1::standard_kernels::backward {

/// The gradient of a padded input is cropped, and that of a cropped one padded with zeros. The gradient of the value is
/// the sum over the padding.
inline void pad(BackwardContext& ctx) {
  const Tensor& x = ctx.input(0);
  auto [before, after] = detail::read_pads(ctx);
  const Tensor& g = detail::gradient_of(ctx, detail::padded_dims(x.dims(), before, after));
  const auto mode = detail::read_pad_mode(ctx);
  if (mode == "constant") {
    for (Ints* const pads : {&before, &after}) std::ranges::transform(*pads, pads->begin(), std::negate<>());
    Tensor gradient = detail::pad_constant(g, before, after, Tensor());
    if (ctx.needs(2)) {
      const auto total = [](const Tensor& y) {
        return detail::sum(y.data<float>().data(), y.size());
      };
      ctx.set_gradient(2, Tensor::of<float>(ctx.input(2).dims(), {total(g) - total(gradient)}));
    }
    if (ctx.needs(0)) ctx.set_gradient(0, std::move(gradient));
    return;
  }
  if (!ctx.needs(0)) return;
  if (g.size() == 0) return ctx.set_gradient(0, Tensor(DType::f32, x.dims()));
  Tensor gradient = g;
  Dims dims = g.dims();
  for (std::size_t axis = x.rank(); axis-- > 0;) {
    if (before[axis] == 0 && after[axis] == 0) continue;
    dims[axis] = x.dims()[axis];
    const Ints sources = detail::padded_sources(mode, dims[axis], before[axis], after[axis]);
    gradient = detail::add_slices(gradient, dims, axis, sources);
  }
  ctx.set_gradient(0, std::move(gradient));
}

inline void add_pad(BackwardKernels& kernels) { kernels.add("Pad", {2}, pad); }

}  // namespace graft::inline v1::standard_kernels::backward
