#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/interpolation.hpp>
#include <graft/graph/attribute.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// How one axis is resized.
struct ResizedAxis {
  std::int64_t in, out;
  double scale = 1;
  double roi_begin = 0, roi_end = 1;

  /// Where an output reads the input; the formulas are those of ONNX Resize-19. In float, as ONNX Runtime computes it:
  /// the nearest neighbour is another one where the quotient is rounded differently.
  double source(std::string_view mode, std::int64_t at) const {
    const auto x = static_cast<float>(at), by = static_cast<float>(scale);
    if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && out > 1)) return (x + 0.5F) / by - 0.5F;
    if (mode == "pytorch_half_pixel") return 0;
    if (mode == "asymmetric") return x / by;
    if (mode == "tf_half_pixel_for_nn") return (x + 0.5F) / by;  // of opsets 11 and 12
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

/// Which inputs one output of an axis is made of; none where it reads beyond the input and is extrapolated.
struct Neighbours {
  Ints indices;
  std::vector<double> weights;
};

/// What Resize does along each axis in turn; by default what Resize-10 does.
struct Resampling {
  std::string_view coordinates = "asymmetric", mode = "nearest";
  std::string_view rounding = "simple";  // of Resize-10: ceil along an axis that shrinks, floor along others
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

/// y[..., i, ...] = the weighted sum of what its neighbours name of x.
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

}  // namespace graft::inline v1::standard_kernels::detail
