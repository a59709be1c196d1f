#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/interpolation.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/graph/attribute.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// The resizing of one axis.
struct ResizedAxis {
  std::int64_t in, out;
  double scale = 1;
  double roi_begin = 0, roi_end = 1;

  bool unchanged() const { return in == out && ((scale == 1 && roi_begin == 0 && roi_end == 1) || in == 0); }

  /// The input position of an output; formulas of ONNX Resize-19. In float, as in ONNX Runtime: another rounding of the
  /// quotient could select another nearest neighbour.
  double source(std::string_view mode, std::int64_t at) const {
    const auto x = static_cast<float>(at), by = static_cast<float>(scale);
    if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && out > 1)) return (x + 0.5F) / by - 0.5F;
    if (mode == "pytorch_half_pixel") return 0;
    if (mode == "asymmetric") return x / by;
    if (mode == "tf_half_pixel_for_nn") return (x + 0.5F) / by;  // opsets 11 and 12 only
    const auto from = static_cast<double>(in);
    const double to = scale * from;
    if (mode == "half_pixel_symmetric")
      return from / 2 * (1 - static_cast<double>(out) / to) + static_cast<double>((x + 0.5F) / by - 0.5F);
    if (mode == "align_corners") return to == 1 ? 0 : static_cast<double>(at) * (from - 1) / (to - 1);
    // tf_crop_and_resize
    if (out == 1) return (roi_begin + roi_end) * (from - 1) / 2;
    return roi_begin * (from - 1) +
           static_cast<double>(at) * (roi_end - roi_begin) * (from - 1) / static_cast<double>(out - 1);
  }
};

/// The inputs of one output of an axis; none if it is outside of the input and extrapolated.
struct Neighbours {
  Ints indices;
  std::vector<double> weights;
};

/// The options of Resize for each axis; the defaults are those of Resize-10.
struct Resampling {
  std::string_view coordinates = "asymmetric", mode = "nearest";
  std::string_view rounding = "simple";  // of Resize-10: ceil along a shrinking axis, floor along others
  double cubic_a = -0.75;
  bool antialias = false, exclude_outside = false;
  double extrapolation = 0;

  bool nearest() const { return mode == "nearest"; }

  std::int64_t rounded(double at, double scale) const {
    const bool simple = rounding == "simple";
    if (rounding == "floor" || (simple && scale >= 1)) return static_cast<std::int64_t>(std::floor(at));
    if (rounding == "ceil" || simple) return static_cast<std::int64_t>(std::ceil(at));
    if (rounding == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(at + 0.5));
    return static_cast<std::int64_t>(std::ceil(at - 0.5));
  }

  std::vector<Neighbours> neighbours(const ResizedAxis& axis) const {
    const Interpolation weight{mode == "cubic", cubic_a};
    const double shrink = antialias ? std::min(axis.scale, 1.0) : 1.0;
    if (weight.support() > 4 * shrink * static_cast<double>(axis.in)) throw failure({"a scale is too small"});
    allocated_bytes(DType::u8, Dims{axis.out, to_int(sizeof(Neighbours))});
    std::vector<Neighbours> all(to_size(axis.out));
    for (std::int64_t i = 0; i < axis.out; ++i) {
      const double at = axis.source(coordinates, i);
      if (!(std::abs(at) < 1e15)) throw failure({"output ", i, " of ", axis.out, " lies far outside of the input"});
      const auto end = static_cast<double>(axis.in - 1);
      if (coordinates == "tf_crop_and_resize" && (at < 0 || at > end)) continue;
      auto& [indices, weights] = all[to_size(i)];
      const std::int64_t first = nearest() ? rounded(at, axis.scale) : weight.first(at, shrink);
      const std::int64_t last = nearest() ? first + 1 : weight.last(at, shrink);
      for (std::int64_t k = first; k < last; ++k) {
        if (exclude_outside && !nearest() && (k < 0 || k >= axis.in)) continue;
        indices.push_back(std::clamp<std::int64_t>(k, 0, axis.in - 1));
        weights.push_back(nearest() ? 1 : weight(shrink * (static_cast<double>(k) - at)));
      }
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (double& w : weights) w /= total;
    }
    return all;
  }
};

/// y[..., i, ...] = the weighted sum of the elements of x that its neighbours name.
template <class T>
Tensor resample(const Tensor& x, std::size_t axis, const std::vector<Neighbours>& neighbours, double extrapolation) {
  const AxisView view(x.dims(), axis);
  Dims dims = x.dims();
  dims[axis] = to_int(neighbours.size());
  Tensor y(x.dtype(), dims);
  const T* from = x.data<T>().data();
  T* to = y.mutable_data<T>().data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer, from += view.extent * view.inner) {
    for (const auto& [indices, weights] : neighbours) {
      if (indices.empty()) std::fill_n(to, view.inner, static_cast<T>(extrapolation));
      for (std::size_t k = 0; k < indices.size(); ++k) {
        const T weight = static_cast<T>(weights[k]);
        const T* row = from + indices[k] * view.inner;
        for (std::int64_t i = 0; i < view.inner; ++i) to[i] += weight * row[i];
      }
      to += view.inner;
    }
  }
  return y;
}

/// What Resize does to its input.
struct Resizing {
  std::vector<ResizedAxis> axes;
  Resampling resampling;
};

/// Resizes each axis in turn.
inline Tensor resized(const Tensor& x, const Resizing& resizing) {
  const std::vector<ResizedAxis>& axes = resizing.axes;
  const Resampling& resampling = resizing.resampling;
  const DType dtype = x.dtype();
  // Nearest neighbours need no arithmetic unless some are extrapolated.
  const bool moves = resampling.nearest() && resampling.coordinates != "tf_crop_and_resize";
  Dims dims;
  for (const ResizedAxis& axis : axes) dims.push_back(axis.out);
  allocated_bytes(dtype, dims);
  Tensor y = moves ? x : to_reals(x);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const ResizedAxis& how = axes[axis];
    if (how.unchanged()) continue;
    if (how.in == 0 && how.out > 0) throw failure({"nothing to read in ", x});
    const std::vector<Neighbours> neighbours = resampling.neighbours(how);
    if (moves) {
      Ints indices;
      for (const Neighbours& neighbour : neighbours) indices.push_back(neighbour.indices[0]);
      y = take_slices(y, axis, indices, {how.out});
    } else {
      y = visit<float, double>(y.dtype(),
                               [&]<class T>() { return resample<T>(y, axis, neighbours, resampling.extrapolation); });
    }
  }
  return moves ? y : from_reals(std::move(y), dtype);
}

inline std::int64_t scaled_extent(std::int64_t extent, double factor) {
  const double result = std::floor(static_cast<float>(extent) * static_cast<float>(factor));
  if (!(factor > 0) || !(result < 1e18)) throw Error("a scale is not positive, or too large");
  return static_cast<std::int64_t>(result);
}

/// By scales only, as in Resize-10 and Upsample; an attribute in Upsample-7.
inline Resizing read_upsample(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Floats scales = ctx.has_input(1) ? ctx.input(1).to<float>() : ctx.attr<Floats>("scales");
  if (scales.size() != x.rank()) throw failure({scales.size(), " scales for ", x});
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    axes.push_back({x.dims()[i], scaled_extent(x.dims()[i], scales[i]), scales[i]});
  Resampling resampling;
  resampling.mode = choice(ctx, "mode", {"nearest", "linear"});
  return {std::move(axes), resampling};
}

/// By scales or sizes, for some or all axes.
inline Resizing read_resize(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  Resampling resampling;
  resampling.coordinates = choice(ctx, "coordinate_transformation_mode",
                                          {"half_pixel", "pytorch_half_pixel", "half_pixel_symmetric", "align_corners",
                                           "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  resampling.mode = choice(ctx, "mode", {"nearest", "linear", "cubic"});
  resampling.rounding =
      choice(ctx, "nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  resampling.cubic_a = ctx.attr<float>("cubic_coeff_a");
  resampling.exclude_outside = ctx.attr<std::int64_t>("exclude_outside") != 0;
  resampling.extrapolation = ctx.attr<float>("extrapolation_value");
  resampling.antialias = ctx.attr_or<std::int64_t>("antialias", 0) != 0;

  Ints named = ctx.optional_attr<Ints>("axes").value_or(Ints{});
  if (named.empty()) {
    named.resize(x.rank());
    std::iota(named.begin(), named.end(), 0);
  }
  const auto numbers = [&](std::size_t input, std::size_t count) {
    if (!ctx.has_input(input) || ctx.input(input).size() == 0) return std::vector<double>();
    std::vector<double> values = ctx.input(input).to<double>();
    if (values.size() != count) throw failure({"input ", input, " is ", ctx.input(input), " for ", x});
    return values;
  };
  const bool crops = resampling.coordinates == "tf_crop_and_resize";
  const std::vector<double> roi = crops ? numbers(1, 2 * named.size()) : std::vector<double>();
  const std::vector<double> scales = numbers(2, named.size());
  const std::vector<double> sizes = numbers(3, named.size());
  if (scales.empty() == sizes.empty() && x.rank() > 0) throw Error("either scales or sizes are wanted");

  std::vector<ResizedAxis> axes;
  for (const std::int64_t dim : x.dims()) axes.push_back({dim, dim});
  const auto policy =
      choice(ctx, "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}, "stretch");
  std::optional<double> common;
  for (std::size_t i = 0; i < named.size(); ++i) {
    ResizedAxis& axis = axes[normalized_axis(named[i], x.rank())];
    if (!roi.empty()) {
      axis.roi_begin = roi[i];
      axis.roi_end = roi[named.size() + i];
    }
    if (!scales.empty()) {
      axis.scale = scales[i];
      axis.out = scaled_extent(axis.in, crops ? (axis.roi_end - axis.roi_begin) * scales[i] : scales[i]);
    } else {
      axis.out = ctx.input(3).to<std::int64_t>()[i];
      if (axis.in == 0) continue;
      axis.scale = sizes[i] / static_cast<double>(axis.in);
      common = !common                  ? axis.scale
               : policy == "not_larger" ? std::min(*common, axis.scale)
                                        : std::max(*common, axis.scale);
    }
  }
  if (!sizes.empty() && policy != "stretch") {
    for (const std::int64_t name : named) {
      ResizedAxis& axis = axes[normalized_axis(name, x.rank())];
      axis.scale = common.value_or(1);
      const double extent = std::floor(axis.scale * static_cast<double>(axis.in) + 0.5);
      if (!(extent >= 0 && extent < 1e18))
        throw failure({"sizes of ", ctx.input(3).to<std::int64_t>(), " for ", x});
      axis.out = static_cast<std::int64_t>(extent);
    }
  }
  return {std::move(axes), resampling};
}

}  // namespace detail

/// Resize, Upsample.
template <detail::Resizing (*Read)(const KernelContext&)>
void resize(KernelContext& ctx) {
  ctx.set_output(0, detail::resized(ctx.input(0), Read(ctx)));
}

inline void add_resize(Kernels& kernels) {
  kernels.add("Upsample", {7}, resize<detail::read_upsample>)
      .add("Resize", {10, 10}, resize<detail::read_upsample>)
      .add("Resize", {11}, resize<detail::read_resize>);
}

}  // namespace graft::inline v1::standard_kernels
