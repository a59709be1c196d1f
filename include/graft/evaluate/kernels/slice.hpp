#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/kernels/shape.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A part of a tensor: its dims, and where its elements are.
struct StridedPart {
  Dims dims;
  std::int64_t first;
  Dims strides;
};

/// NumPy's slices. starts, ends and axes are attributes below opset 10; steps exist since then.
inline StridedPart read_slice(const KernelContext& ctx) {
  const auto starts = ints_parameter(ctx, "starts", 1);
  const auto ends = ints_parameter(ctx, "ends", 2);
  if (!starts || !ends) throw Error("starts or ends are missing");
  Ints axes = ints_parameter(ctx, "axes", 3).value_or(Ints{});
  Ints steps = ctx.has_input(4) ? ctx.input(4).to<std::int64_t>() : Ints{};
  for (std::size_t i = axes.size(); i < starts->size(); ++i) axes.push_back(to_int(i));
  steps.resize(starts->size(), 1);
  if (ends->size() != starts->size() || axes.size() != starts->size())
    throw Error("starts, ends and axes differ in length");

  Dims dims = ctx.input(0).dims();
  Dims strides = contiguous_strides(dims);
  std::int64_t first = 0;
  std::vector<bool> sliced(dims.size(), false);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::size_t axis = normalized_axis(axes[i], dims.size());
    if (sliced[axis]) throw failure({"axis ", axis, " is sliced twice"});
    sliced[axis] = true;
    const std::int64_t extent = dims[axis];
    const std::int64_t step = steps[i];
    if (step == 0) throw Error("a step of 0");
    const auto place = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
      return std::clamp(at < 0 ? at + extent : at, low, std::max(low, high));
    };
    const bool forward = step > 0;
    const std::int64_t start = place((*starts)[i], 0, forward ? extent : extent - 1);
    const std::int64_t end = place((*ends)[i], forward ? 0 : -1, forward ? extent : extent - 1);
    const std::int64_t distance = forward ? end - start : start - end;
    // Steps beyond the extent have the effect of the extent; limiting them avoids overflow.
    const std::int64_t longest = std::max<std::int64_t>(extent, 1);
    const std::int64_t stride = forward ? std::min(step, longest) : -std::max(step, -longest);
    dims[axis] = extent == 0 || distance <= 0 ? 0 : (distance - 1) / stride + 1;
    first += start * strides[axis];
    strides[axis] *= forward ? stride : -stride;
  }
  return {std::move(dims), first, std::move(strides)};
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void slice(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const detail::StridedPart part = detail::read_slice(ctx);
  if (part.dims == x.dims() && part.strides == detail::contiguous_strides(x.dims()))
    return ctx.set_output(0, ctx.take_input(0));
  ctx.set_output(0, detail::gather_strided(x, part.dims, part.first, part.strides));
}

inline void add_slice(Kernels& kernels) { kernels.add("Slice", slice); }

}  // namespace graft::inline v1::standard_kernels
