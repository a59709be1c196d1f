#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/sample.hpp>
#include <graft/evaluate/kernels/gather.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A box given by two corners in any order, or by its centre and extents.
struct Box {
  double left, top, right, bottom;

  static Box read(const float* box, bool by_centre) {
    const double a = box[0], b = box[1], c = box[2], d = box[3];
    if (by_centre) return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
    return {std::min(b, d), std::min(a, c), std::max(b, d), std::max(a, c)};
  }
  double area() const { return (right - left) * (bottom - top); }

  /// The common area divided by the area of the union.
  double overlap(const Box& other) const {
    const double width = std::min(right, other.right) - std::max(left, other.left);
    const double height = std::min(bottom, other.bottom) - std::max(top, other.top);
    if (width <= 0 || height <= 0) return 0;
    const double common = width * height;
    return common / (area() + other.area() - common);
  }
};

/// Neighbours for RoiAlign: positions up to one element outside count as on the border, others have none.
inline std::vector<Sample::Part> region_parts(double at, std::int64_t extent) {
  if (extent == 0 || !(at >= -1 && at <= static_cast<double>(extent))) return {};
  return neighbours_inside(std::clamp(at, 0.0, static_cast<double>(extent - 1)), extent, Interpolation{});
}

/// A region's part along one axis: bins, and the number of samples in each.
struct RegionAxis {
  double start, bin;
  std::int64_t samples;

  RegionAxis(double from, double to, std::int64_t bins, std::int64_t ratio, bool at_least_one)
      : start(from), bin((at_least_one ? std::max(to - from, 1.0) : to - from) / static_cast<double>(bins)) {
    if (!(std::abs(start) < 1e9 && std::abs(bin) < 1e6)) throw Error("a region lies far outside of the input");
    if (ratio > 1'000'000) throw failure({ratio, " is too large"}).field("sampling_ratio");
    samples = ratio > 0 ? ratio : static_cast<std::int64_t>(std::ceil(std::max(bin, 0.0)));
  }
  double place(std::int64_t which, std::int64_t sample) const {
    const double inside = (static_cast<double>(sample) + 0.5) / static_cast<double>(samples);
    return start + (static_cast<double>(which) + inside) * bin;
  }
};

}  // namespace graft::inline v1::standard_kernels::detail

/// NonMaxSuppression, RoiAlign.
namespace graft::inline v1::standard_kernels {

/// [batch, class, box] of the best boxes [N, boxes, 4] by scores [N, classes, boxes]. No box overlaps a better one of
/// its class by more than a threshold.
inline void non_max_suppression(KernelContext& ctx) {
  const Tensor& boxes = ctx.input(0);
  const Tensor& scores = ctx.input(1);
  if (boxes.rank() != 3 || boxes.dims()[2] != 4 || scores.rank() != 3 || scores.dims()[0] != boxes.dims()[0] ||
      scores.dims()[2] != boxes.dims()[1]) {
    throw detail::failure({"scores ", scores, " for boxes ", boxes});
  }
  const std::int64_t most = ctx.has_input(2) ? ctx.input(2).item<std::int64_t>() : 0;
  const double overlap = ctx.has_input(3) ? ctx.input(3).item<double>() : 0;
  const double least = ctx.has_input(4) ? ctx.input(4).item<double>() : 0;
  const bool by_centre = ctx.attr<std::int64_t>("center_point_box") != 0;
  const std::int64_t count = boxes.dims()[1], classes = scores.dims()[1];
  Ints selected;
  for (std::int64_t list = 0; list < scores.dims()[0] * classes; ++list) {
    const float* score = scores.data<float>().data() + list * count;
    const float* box = boxes.data<float>().data() + list / classes * count * 4;
    Ints order;
    for (std::int64_t i = 0; i < count; ++i) {
      if (ctx.has_input(4) ? score[i] > least : !std::isnan(score[i])) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return score[a] > score[b]; });
    std::vector<detail::Box> kept;
    for (const std::int64_t i : order) {
      if (detail::to_int(kept.size()) >= most) break;
      const detail::Box candidate = detail::Box::read(box + i * 4, by_centre);
      const auto suppresses = [&](const detail::Box& better) { return candidate.overlap(better) > overlap; };
      if (std::any_of(kept.begin(), kept.end(), suppresses)) continue;
      kept.push_back(candidate);
      selected.insert(selected.end(), {list / classes, list % classes, i});
    }
  }
  ctx.set_output(0, Tensor::of({detail::to_int(selected.size() / 3), 3}, selected));
}

/// Regions [R, 4] of images x [N, C, H, W], split into bins; each bin is the mean or the maximum of samples. Below
/// opset 16, their corners are not moved by half an element.
inline void roi_align(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  const std::vector<double> rois = ctx.input(1).to<double>();
  const Ints images = ctx.input(2).to<std::int64_t>();
  const auto regions = detail::to_int(images.size());
  if (x.rank() != 4 || ctx.input(1).dims() != Dims{regions, 4})
    throw detail::failure({"regions ", ctx.input(1), " of ", x});
  const auto coordinates =
      detail::choice(ctx, "coordinate_transformation_mode", {"half_pixel", "output_half_pixel"}, "output_half_pixel");
  const bool half = coordinates == "half_pixel";
  const bool largest = detail::choice(ctx, "mode", {"avg", "max"}) == "max";
  const auto ratio = ctx.attr<std::int64_t>("sampling_ratio");
  const double scale = ctx.attr<float>("spatial_scale");
  const double shift = half ? 0.5 : 0;
  const std::int64_t channels = x.dims()[1], size = x.dims()[2] * x.dims()[3];
  const Dims dims{regions, channels, ctx.attr<std::int64_t>("output_height"), ctx.attr<std::int64_t>("output_width")};
  Tensor y(x.dtype(), dims);
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    T* const out = y.mutable_data<T>().data();
    for (std::int64_t bin = 0; bin < regions * dims[2] * dims[3]; ++bin) {
      const std::int64_t region = bin / (dims[2] * dims[3]), place = bin % (dims[2] * dims[3]);
      const auto corner = [&](std::int64_t i) { return rois[detail::to_size(region * 4 + i)] * scale - shift; };
      const detail::RegionAxis rows(corner(1), corner(3), dims[2], ratio, !half);
      const detail::RegionAxis columns(corner(0), corner(2), dims[3], ratio, !half);
      const std::int64_t image = detail::normalized_index(images[detail::to_size(region)], x.dims()[0]);
      const std::int64_t samples = rows.samples * columns.samples;
      for (std::int64_t i = 0; i < samples; ++i) {
        detail::Sample sample;
        sample.along(x.dims()[2], detail::region_parts(rows.place(place / dims[3], i / columns.samples), x.dims()[2]));
        sample.along(x.dims()[3],
                     detail::region_parts(columns.place(place % dims[3], i % columns.samples), x.dims()[3]));
        for (std::int64_t c = 0; c < channels; ++c) {
          T& value = out[(region * channels + c) * dims[2] * dims[3] + place];
          const T* from = x.data<T>().data() + (image * channels + c) * size;
          if (!largest) {
            value += static_cast<T>(sample.of(from) / static_cast<double>(samples));
            continue;
          }
          // For "max", the standard takes the largest weighted element instead of the largest sum.
          T best = i == 0 ? -std::numeric_limits<T>::infinity() : value;
          for (const auto& [index, weight] : sample.parts())
            best = std::max(best, static_cast<T>(weight * static_cast<double>(from[index])));
          value = sample.parts().empty() ? std::max(best, T{0}) : best;
        }
      }
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_regions(Kernels& kernels) {
  kernels.add("NonMaxSuppression", non_max_suppression).add("RoiAlign", roi_align);
}

}  // namespace graft::inline v1::standard_kernels
