#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/sample.hpp>
#include <graft/evaluate/kernels/gemm.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// How GridSample reads along one axis. Positions are in [-1, 1], from border to border.
struct GridAxis {
  enum class Padding { zeros, border, reflection };

  std::int64_t extent;
  bool corners;  // the borders are the centres of the outermost elements, not their edges
  Padding padding;

  std::vector<Sample::Part> parts(double place, bool nearest, const Interpolation& weight) const {
    const auto size = static_cast<double>(extent);
    double at = corners ? (place + 1) / 2 * (size - 1) : ((place + 1) * size - 1) / 2;
    constexpr double limit = 1e15;
    at = at > -limit ? std::min(at, limit) : -limit;
    if (nearest) at = std::nearbyint(at);
    if (padding == Padding::zeros && !nearest) return neighbours_inside(at, extent, weight);
    if (padding == Padding::border) at = std::clamp(at, 0.0, size - 1);
    if (padding == Padding::reflection) at = reflected(at);
    if (nearest) {
      const auto i = static_cast<std::int64_t>(at);
      return i < 0 || i >= extent ? std::vector<Sample::Part>() : std::vector<Sample::Part>{{i, 1.0}};
    }
    std::vector<Sample::Part> all;
    for (std::int64_t i = weight.first(at); i < weight.last(at); ++i) {
      const double place_of = padding == Padding::border ? static_cast<double>(i) : reflected(static_cast<double>(i));
      all.emplace_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(place_of), 0, extent - 1),
                       weight(static_cast<double>(i) - at));
    }
    return all;
  }

 private:
  double reflected(double at) const {
    const double low = corners ? 0 : -0.5;
    const double span = static_cast<double>(extent) - 1 - 2 * low;
    if (span <= 0) return 0;
    const double phase = std::fmod(std::abs(at - low), 2 * span);
    return low + std::min(phase, 2 * span - phase);
  }
};

inline GridAxis::Padding read_grid_padding(const KernelContext& ctx) {
  const auto mode = choice(ctx, "padding_mode", {"zeros", "border", "reflection"});
  return mode == "zeros"    ? GridAxis::Padding::zeros
         : mode == "border" ? GridAxis::Padding::border
                            : GridAxis::Padding::reflection;
}

}  // namespace graft::inline v1::standard_kernels::detail

/// GridSample, AffineGrid.
namespace graft::inline v1::standard_kernels {

/// x [N, C, spatial...] at the positions of a grid [N, places..., spatial axes], in which the last axis comes first.
inline void grid_sample(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::to_reals(ctx.take_input(0));
  const Tensor& grid = ctx.input(1);
  const std::size_t rank = x.rank() < 3 ? 0 : x.rank() - 2;
  if (rank == 0 || grid.rank() != x.rank() || grid.dims().back() != detail::to_int(rank) ||
      grid.dims()[0] != x.dims()[0]) {
    throw detail::failure({"a grid of ", grid, " for ", x});
  }
  const auto mode = detail::choice(ctx, "mode", {"nearest", "linear", "bilinear", "cubic", "bicubic"});
  const bool nearest = mode == "nearest";
  const detail::Interpolation weight{mode == "cubic" || mode == "bicubic"};
  const bool corners = ctx.attr<std::int64_t>("align_corners") != 0;
  const detail::GridAxis::Padding padding = detail::read_grid_padding(ctx);

  Dims dims{x.dims()[0], x.dims()[1]};
  dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
  const std::int64_t size = detail::extent(x.dims(), 2, x.rank());
  const std::int64_t places = detail::extent(dims, 2, dims.size());
  if (size == 0 && places > 0) throw detail::failure({"nothing to read in ", x});
  const std::vector<double> at = grid.to<double>();
  Tensor y(x.dtype(), dims);
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    T* const out = y.mutable_data<T>().data();
    for (std::int64_t p = 0; p < dims[0] * places; ++p) {
      detail::Sample sample;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        const detail::GridAxis along{x.dims()[2 + axis], corners, padding};
        const double place = at[detail::to_size(p) * rank + rank - 1 - axis];
        sample.along(along.extent, along.parts(place, nearest, weight));
      }
      for (std::int64_t c = 0; c < dims[1]; ++c) {
        const std::int64_t image = p / places * dims[1] + c;
        out[image * places + p % places] = static_cast<T>(sample.of(x.data<T>().data() + image * size));
      }
    }
  });
  ctx.set_output(0, detail::from_reals(std::move(y), dtype));
}

/// theta [N, 2, 3] or [N, 3, 4] times each position (x, y, 1) or (x, y, z, 1) of images of that size.
inline void affine_grid(KernelContext& ctx) {
  const Tensor& theta = ctx.input(0);
  const Ints size = ctx.input(1).to<std::int64_t>();
  const std::size_t rank = size.size() < 4 ? 0 : size.size() - 2;
  if (rank < 2 || rank > 3 || theta.dims() != Dims{size[0], detail::to_int(rank), detail::to_int(rank) + 1})
    throw detail::failure({"transformations ", theta, " for images of ", size});
  const bool corners = ctx.attr<std::int64_t>("align_corners") != 0;
  const std::int64_t places = element_count(std::span(size).subspan(2));
  Tensor base(DType::f64, {1, places, detail::to_int(rank) + 1});
  double* to = base.mutable_data<double>().data();
  for (std::int64_t p = 0; p < places; ++p) {
    std::int64_t rest = p;
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::int64_t extent = size[2 + axis];
      const auto i = static_cast<double>(rest % extent), n = static_cast<double>(extent);
      rest /= extent;
      *to++ = corners ? (extent == 1 ? -1 : 2 * i / (n - 1) - 1) : (2 * i + 1) / n - 1;
    }
    *to++ = 1;
  }
  Dims dims{size[0]};
  dims.insert(dims.end(), size.begin() + 2, size.end());
  dims.push_back(detail::to_int(rank));
  const Tensor grid = detail::multiply(base, detail::cast(theta, DType::f64), true);
  ctx.set_output(0, detail::cast(grid.reshaped(dims), theta.dtype()));
}

inline void add_grid_sample(Kernels& kernels) {
  kernels.add("GridSample", grid_sample).add("AffineGrid", affine_grid);
}

}  // namespace graft::inline v1::standard_kernels
