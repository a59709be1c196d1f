#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/float_conv.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/detail/unfilled.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The convolution of one group of one image: [channels, input] by [filters, channels, kernel] to [filters, output].
/// start has one number for each filter.
struct ConvGroup {
  const Window& window;
  std::int64_t channels, filters;

  template <class T>
  void run(const T* x, const T* w, const T* start, T* y, std::vector<T>& columns) const {
    for (std::int64_t f = 0; f < filters; ++f)
      std::fill_n(y + f * window.output_size(), window.output_size(), start[f]);
    if (channels == 1) return slide(x, w, y);
    if (window.pointwise()) return add_product(Product{filters, channels, window.output_size()}, w, x, y);
    unfold(x, w, y, columns);
  }

 private:
  /// Depthwise: for each kernel position, adds scaled runs of the input.
  template <class T>
  void slide(const T* x, const T* w, T* y) const {
    for (std::int64_t f = 0; f < filters; ++f, y += window.output_size(), w += window.kernel_size()) {
      window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
        const T weight = w[k];
        const std::int64_t step = window.stride[2];
        if (step == 1) {
          Array<T>(y + out, count) += weight * ConstArray<T>(x + in, count);
        } else {
          for (std::int64_t i = 0; i < count; ++i) y[out + i] += weight * x[in + i * step];
        }
      });
    }
  }

  /// By matrix products with the input's windows as columns ("im2col"), with as many output rows at a time as fit in
  /// the cache.
  template <class T>
  void unfold(const T* x, const T* w, T* y, std::vector<T>& columns) const {
    constexpr std::int64_t cached = 1 << 17;
    const std::int64_t depth = channels * window.kernel_size();
    const std::int64_t width = window.output[2];
    const std::int64_t rows = std::clamp<std::int64_t>(cached / std::max<std::int64_t>(1, depth * width), 1,
                                                       window.output_rows());
    columns.resize(to_size(depth * rows * width));
    for (std::int64_t first = 0; first < window.output_rows(); first += rows) {
      const std::int64_t last = std::min(first + rows, window.output_rows());
      const std::int64_t n = (last - first) * width;
      std::fill_n(columns.begin(), depth * n, T{0});
      for (std::int64_t c = 0; c < channels; ++c) {
        const T* from = x + c * window.input_size();
        T* to = columns.data() + c * window.kernel_size() * n - first * width;
        window.each_run(first, last, [&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
          T* run = to + k * n + out;
          if (window.stride[2] == 1) {
            std::copy_n(from + in, count, run);
          } else {
            for (std::int64_t i = 0; i < count; ++i) run[i] = from[in + i * window.stride[2]];
          }
        });
      }
      add_product(Product{filters, depth, n, false, window.output_size()}, w, columns.data(), y + first * width);
    }
  }
};

/// ONNX Conv: x is [N, C, spatial...], w [M, C / groups, kernel...], bias [M] or nullptr. Float outputs are clamped to
/// the bounds. For T i32, x and w are floats that hold integers within 255 of 0.
template <class T>
Tensor conv(const Tensor& x, const Tensor& w, const Tensor* bias, const Window& window, std::int64_t groups,
            const ParallelFor* parallel = nullptr, const Clamp& clamp = {}) {
  const std::int64_t batch = x.dims()[0];
  const std::int64_t channels = x.dims()[1];
  const std::int64_t filters = w.dims()[0];
  if (groups < 1 || channels % groups != 0 || filters % groups != 0 || w.dims()[1] != channels / groups) {
    throw failure({"weights of ", w.dims(), " in ", groups, " groups on an input of ", x.dims()});
  }
  if (bias != nullptr && bias->dims() != Dims{filters})
    throw failure({"a bias of ", bias->dims(), " for ", filters, " filters"});
  std::vector<T> start(to_size(filters), T{0});
  if (bias != nullptr) std::copy_n(bias->data<T>().data(), filters, start.data());

  using Number = std::conditional_t<std::is_same_v<T, std::int32_t>, float, T>;
  Tensor result = unfilled(dtype_of<T>, output_dims(batch, filters, window));
  if (result.size() == 0) return result;
  const ConvGroup group{window, channels / groups, filters / groups};
  const auto each_group = [&, y = result.mutable_data<T>().data()](std::int64_t first, std::int64_t last, auto&& run) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t filter = i % groups * group.filters;
      run(x.data<Number>().data() + i * group.channels * window.input_size(),
          w.data<Number>().data() + filter * group.channels * window.kernel_size(), start.data() + filter,
          y + i * group.filters * window.output_size());
    }
  };
  if constexpr (std::is_same_v<Number, float>) {
    if (Padded(window).worthwhile()) {
      // As many groups as make a task; a larger group is split further.
      const double work = static_cast<double>(window.output_size() * window.kernel_size()) *
                          static_cast<double>(group.filters * group.channels);
      const std::int64_t count = batch * groups;
      const std::int64_t step = parallel == nullptr ? count : static_cast<std::int64_t>(1 + (1 << 18) / (work + 1));
      const std::int64_t parts = count == 0 ? 0 : (count - 1) / step + 1;
      for_each_part(parallel, parts, [&](std::int64_t i) {
        FloatConv floats(window, group.channels, group.filters, clamp);
        each_group(i * step, std::min(i * step + step, count),
                   [&](auto... pointers) { floats.run(pointers..., parts == 1 ? parallel : nullptr); });
      });
      return result;
    }
  }
  if constexpr (std::is_same_v<T, Number>) {
    std::vector<T> columns;
    each_group(0, batch * groups, [&](auto... pointers) { group.run(pointers..., columns); });
    if constexpr (std::is_same_v<T, float>) {
      for (float& value : result.mutable_data<float>()) Clamp::apply(value, clamp.low, clamp.high);
    }
    return result;
  } else {
    const Tensor wide = bias != nullptr ? cast(*bias, DType::f64) : Tensor();
    return cast(conv<double>(cast(x, DType::f64), cast(w, DType::f64), wide ? &wide : nullptr, window, groups),
                dtype_of<T>);
  }
}

/// The start of a convolution's sums, [N, M, ...]: the biases [M] of an input, or zeros.
inline Tensor spread_biases(const KernelContext& ctx, std::size_t input, DType dtype, const Dims& dims) {
  if (!ctx.has_input(input)) return Tensor(dtype, dims);
  const Tensor& bias = ctx.input(input);
  if (bias.dims() != Dims{dims[1]}) throw failure({"a bias of ", bias.dims(), " for ", dims[1], " filters"});
  const Dims planes{dims[0], dims[1], extent(dims, 2, dims.size())};
  return gather_strided(cast(bias, dtype), planes, 0, {0, 1, 0}).reshaped(dims);
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void conv(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = detail::computed_in(dtype);
  const Tensor x = detail::cast(ctx.take_input(0), wide);
  const Tensor w = detail::cast(ctx.take_input(1), wide);
  const Tensor bias = ctx.has_input(2) ? detail::cast(ctx.take_input(2), wide) : Tensor();
  const detail::Window window = detail::conv_window(ctx, x.dims(), w.dims());
  const auto groups = ctx.attr<std::int64_t>("group");
  const Clamp clamp = dtype == DType::f32 ? ctx.take_clamp() : Clamp();
  Tensor y = detail::visit<float, double>(wide, [&]<class T>() {
    return detail::conv<T>(x, w, bias ? &bias : nullptr, window, groups, ctx.parallel(), clamp);
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_conv(Kernels& kernels) { kernels.add("Conv", conv); }

}  // namespace graft::inline v1::standard_kernels
