#pragma once
#include <algorithm>
#include <utility>

#include <graft/evaluate/concatenated.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/kernels/shape.hpp>

namespace graft::inline v1::standard_kernels {

inline void concat(KernelContext& ctx) {
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), ctx.input(0).rank());
  ctx.set_output(0, concatenated(ctx.inputs(), axis));
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
