#pragma once
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/kernels/shape.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Maps a position of the padded axis to one of the original; both count from the first original element.
inline std::int64_t padded_source(std::string_view mode, std::int64_t at, std::int64_t extent) {
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") return (at % extent + extent) % extent;
  if (extent == 1) return 0;
  const std::int64_t period = 2 * (extent - 1);
  const std::int64_t phase = (at % period + period) % period;
  return std::min(phase, period - phase);
}

/// The dims of the result. Throws Error if more is cropped than the axis has.
inline Dims padded_dims(Dims dims, const Ints& before, const Ints& after) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (before[i] < -dims[i] || after[i] < -dims[i])
      throw failure({"pads of ", before[i], " and ", after[i], " on an extent of ", dims[i]});
    dims[i] = checked_sum(checked_sum(dims[i], before[i]), after[i]);
  }
  element_count(dims);
  return dims;
}

/// Pads each axis with `value`, or crops it if pads are negative.
inline Tensor pad_constant(const Tensor& x, const Ints& before, const Ints& after, const Tensor& value) {
  const Dims dims = padded_dims(x.dims(), before, after);
  Dims inner = x.dims();
  std::int64_t from = 0, to = 0;
  const Dims strides = contiguous_strides(x.dims());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    inner[i] = std::max<std::int64_t>(
        0, inner[i] + std::min<std::int64_t>(before[i], 0) + std::min<std::int64_t>(after[i], 0));
    from += std::max<std::int64_t>(-before[i], 0) * strides[i];
  }
  Tensor y(x.dtype(), dims);
  const Dims y_strides = contiguous_strides(dims);
  for (std::size_t i = 0; i < dims.size(); ++i) to += std::max<std::int64_t>(before[i], 0) * y_strides[i];
  const std::size_t size = element_size(x);
  std::byte* out = y.mutable_bytes().data();
  if (value) {
    copy_strided(size, dims, out, y_strides, value.bytes().data(), Dims(dims.size(), 0));
  }
  copy_strided(size, inner, out + to * to_int(size), y_strides, x.bytes().data() + from * to_int(size), strides);
  return y;
}

/// The pads of each axis.
struct Pads {
  Ints before, after;
};

/// pads and the value are attributes below opset 11; axes are an input since opset 18.
inline Pads read_pads(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto pads = ints_parameter(ctx, "pads", 1);
  if (!pads) throw Error("the pads are missing");
  Ints axes = ctx.has_input(3) ? ctx.input(3).to<std::int64_t>() : Ints{};
  if (!ctx.has_input(3)) {
    for (std::size_t i = 0; i < x.rank(); ++i) axes.push_back(to_int(i));
  }
  if (pads->size() != 2 * axes.size())
    throw failure({*pads, " does not fit an input of ", x.dims()}).field("pads");
  Ints before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalized_axis(axes[i], x.rank());
    before[axis] = (*pads)[i];
    after[axis] = (*pads)[axes.size() + i];
  }
  return {std::move(before), std::move(after)};
}

inline std::string_view read_pad_mode(const KernelContext& ctx) {
  return choice(ctx, "mode", {"constant", "edge", "reflect", "wrap"});
}

/// The positions of the original axis from which the elements of the padded one come.
inline Ints padded_sources(std::string_view mode, std::int64_t extent, std::int64_t before, std::int64_t after) {
  allocated_bytes(DType::i64, Dims{before + extent + after});
  Ints indices;
  for (std::int64_t at = -before; at < extent + after; ++at) indices.push_back(padded_source(mode, at, extent));
  return indices;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void pad(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto [before, after] = detail::read_pads(ctx);

  const auto mode = detail::read_pad_mode(ctx);
  if (mode == "constant") {
    Tensor value = ctx.has_input(2) ? ctx.input(2) : Tensor();
    if (ctx.opset() < 11) value = detail::cast(Tensor::scalar(ctx.attr<float>("value")), x.dtype());
    if (value && (value.dtype() != x.dtype() || value.size() != 1))
      throw detail::failure({"a value of ", value, " for an input of ", x});
    return ctx.set_output(0, detail::pad_constant(x, before, after, value));
  }
  const Dims dims = detail::padded_dims(x.dims(), before, after);
  if (element_count(dims) == 0) return ctx.set_output(0, Tensor(x.dtype(), dims));
  Tensor y = x;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t extent = x.dims()[axis];
    if (before[axis] == 0 && after[axis] == 0) continue;
    if (extent == 0) throw detail::failure({"nothing to pad with in ", x});
    const Ints indices = detail::padded_sources(mode, extent, before[axis], after[axis]);
    y = detail::take_slices(y, axis, indices, {detail::to_int(indices.size())});
  }
  ctx.set_output(0, std::move(y));
}

/// Crops or pads the axes to the shape, equally at both ends; an odd element goes to the end.
inline void center_crop_pad(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Ints shape = ctx.input(1).to<std::int64_t>();
  Ints axes = ctx.optional_attr<Ints>("axes").value_or(Ints{});
  for (std::size_t i = axes.size(); i < shape.size(); ++i) axes.push_back(detail::to_int(i));
  if (axes.size() != shape.size()) throw detail::failure({shape, " for axes ", axes});
  Ints before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = detail::normalized_axis(axes[i], x.rank());
    if (shape[i] < 0) throw detail::failure({shape, " is not a shape"});
    const std::int64_t grown = shape[i] - x.dims()[axis];
    before[axis] = grown / 2;
    after[axis] = grown - grown / 2;
  }
  ctx.set_output(0, detail::pad_constant(x, before, after, Tensor()));
}

inline void add_pad(Kernels& kernels) { kernels.add("Pad", {2}, pad).add("CenterCropPad", center_crop_pad); }

}  // namespace graft::inline v1::standard_kernels
