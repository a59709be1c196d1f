#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/kernels/shape.hpp>

namespace graft::inline v1::standard_kernels::detail {

inline Tensor concatenated(std::span<const Tensor> parts, std::size_t axis) {
  const Tensor& first = parts.front();
  Dims dims = first.dims();
  dims[axis] = 0;
  for (const Tensor& x : parts) {
    Dims expected = first.dims();
    if (x.rank() == first.rank()) expected[axis] = x.dims()[axis];
    if (x.dtype() != first.dtype() || x.dims() != expected) throw failure({"inputs ", first, " and ", x});
    dims[axis] = checked_sum(dims[axis], x.dims()[axis]);
  }
  Tensor y = unfilled(first.dtype(), dims);
  const AxisView view(dims, axis);
  const std::size_t unit = to_size(view.inner) * element_size(y);
  std::byte* to = y.mutable_bytes().data();
  for (const Tensor& x : parts) {
    const std::size_t chunk = to_size(x.dims()[axis]) * unit;
    if (chunk == 0) continue;
    for (std::int64_t i = 0; i < view.outer; ++i)
      std::memcpy(to + to_size(i * view.extent) * unit, x.bytes().data() + to_size(i) * chunk, chunk);
    to += chunk;
  }
  return y;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void concat(KernelContext& ctx) {
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), ctx.input(0).rank());
  ctx.set_output(0, detail::concatenated(ctx.inputs(), axis));
}

/// The extents of the parts: given (an attribute below opset 13), or as equal as the number of outputs allows, with the
/// last one smaller.
inline Ints split_extents(const KernelContext& ctx, std::int64_t extent) {
  if (auto given = detail::ints_parameter(ctx, "split", 1); given && !given->empty()) {
    std::int64_t rest = extent;
    for (const std::int64_t part : *given) rest = part < 0 || part > rest ? -1 : rest - part;
    if (given->size() != ctx.output_count() || rest != 0)
      throw detail::failure({*given, " does not split ", extent}).field("split");
    return *given;
  }
  const auto parts = ctx.attr_or<std::int64_t>("num_outputs", detail::to_int(ctx.output_count()));
  if (parts < 1 || parts != detail::to_int(ctx.output_count()))
    throw Error("the number of outputs is not that of the parts");
  const std::int64_t each = detail::ceil_quotient(extent, parts);
  Ints extents;
  for (std::int64_t i = 0; i < parts; ++i) extents.push_back(std::clamp<std::int64_t>(extent - i * each, 0, each));
  if (ctx.opset() < 18 && extents.back() != each) throw detail::failure({extent, " does not split evenly"});
  return extents;
}

inline void split(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const std::size_t axis = detail::normalized_axis(ctx.attr_or<std::int64_t>("axis", 0), x.rank());
  const Dims strides = detail::contiguous_strides(x.dims());
  Dims dims = x.dims();
  std::int64_t start = 0;
  const Ints extents = split_extents(ctx, x.dims()[axis]);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    dims[axis] = extents[i];
    if (ctx.has_output(i)) ctx.set_output(i, detail::gather_strided(x, dims, start * strides[axis], strides));
    start += extents[i];
  }
}

inline void add_concat(Kernels& kernels) { kernels.add("Concat", {4}, concat).add("Split", {2}, split); }

}  // namespace graft::inline v1::standard_kernels
