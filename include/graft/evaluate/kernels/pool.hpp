#pragma once
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/detail/slide.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The window of a pool, from its kernel_shape.
inline Window pool_window(const KernelContext& ctx, const Dims& dims) {
  return read_window(ctx, dims, ctx.attr<Ints>("kernel_shape"), ctx.attr_or<std::int64_t>("ceil_mode", 0) != 0);
}

template <class T>
inline constexpr T lowest_start = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                       : std::numeric_limits<T>::lowest();

/// Accumulates each window of each plane of x into y, from `start` on.
template <class Operation, class T>
void pool(const T* x, T* y, std::int64_t planes, const Window& window, T start, const ParallelFor* parallel = nullptr) {
  if constexpr (std::is_same_v<T, float>) {
    if (const Padded padded(window); padded.worthwhile()) {
      const std::int64_t part = 1 + (1 << 16) / (1 + window.output_size() * window.kernel_size());
      for_each_range(parallel, planes, part, [&](std::int64_t first, std::int64_t last) {
        std::vector<float> plane(to_size(padded.size()), start);
        for (std::int64_t p = first; p < last; ++p) {
          padded.copy(x + p * window.input_size(), plane.data());
          run_simd<SlideRows<Operation>>(Slide{padded, plane.data(), nullptr, start, y + p * window.output_size()});
        }
      });
      return;
    }
  }
  for (std::int64_t p = 0; p < planes; ++p, x += window.input_size(), y += window.output_size()) {
    std::fill_n(y, window.output_size(), start);
    window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t, std::int64_t count) {
      const std::int64_t step = window.stride[2];
      for (std::int64_t i = 0; i < count; ++i) Operation::accumulate(y[out + i], x[in + i * step], nullptr, 0);
    });
  }
}

/// The divisor of each output of an average: the number of inputs in the image, with include_pad also those in the
/// padding. Positions that ceil_mode adds beyond the padding never count.
template <class T>
std::vector<T> pool_counts(Window window, bool include_pad) {
  if (include_pad) {
    for (std::size_t axis = 0; axis < Window::axes; ++axis) {
      window.input[axis] += window.pad_begin[axis] + window.pad_end[axis];
      window.pad_begin[axis] = 0;
    }
  }
  const auto count = [&](std::size_t axis, std::int64_t out) {
    const auto [first, last] = window.covered(axis, out);
    return last - first;
  };
  std::vector<T> counts;
  counts.reserve(to_size(window.output_size()));
  for (std::int64_t d = 0; d < window.output[0]; ++d) {
    for (std::int64_t h = 0; h < window.output[1]; ++h) {
      for (std::int64_t w = 0; w < window.output[2]; ++w)
        counts.push_back(static_cast<T>(count(0, d) * count(1, h) * count(2, w)));
    }
  }
  return counts;
}

/// One number for the image of each channel, by f(image, size).
template <class F>
Tensor global_pool(Tensor x, F&& f) {
  const DType dtype = x.dtype();
  x = cast(std::move(x), computed_in(dtype));
  if (x.rank() < 3) throw failure({"an input of ", x.dims(), " has no spatial axes"});
  const std::int64_t size = extent(x.dims(), 2, x.rank());
  if (size == 0) throw failure({"the images of an input of ", x.dims(), " are empty"});
  Dims dims(x.rank(), 1);
  std::copy_n(x.dims().begin(), 2, dims.begin());
  Tensor y(x.dtype(), dims);
  visit<float, double>(x.dtype(), [&]<class T>() {
    const T* image = x.data<T>().data();
    for (T& value : y.mutable_data<T>()) {
      value = f(image, size);
      image += size;
    }
  });
  return cast(std::move(y), dtype);
}

inline Tensor global_mean(Tensor x) {
  return global_pool(std::move(x), [](const auto* image, std::int64_t size) { return mean(image, size); });
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Indices are those in the whole input. With storage_order 1, each image's last two axes count as swapped in memory.
template <class T>
std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, const detail::Window& window, const Dims& dims,
                                                bool by_columns, const ParallelFor* parallel) {
  Tensor values(x.dtype(), dims);
  Tensor indices(DType::i64, dims);
  const T* const from = x.data<T>().data();
  T* const all_values = values.mutable_data<T>().data();
  std::int64_t* const all_indices = indices.mutable_data<std::int64_t>().data();
  const std::int64_t height = window.input[1];
  const std::int64_t width = window.input[2];
  for_each_part(parallel, dims[0] * dims[1], [&](std::int64_t image) {
    const std::int64_t base = image * window.input_size();
    T* const y = all_values + image * window.output_size();
    std::int64_t* const index = all_indices + image * window.output_size();
    std::fill_n(y, window.output_size(), detail::lowest_start<T>);
    std::fill_n(index, window.output_size(), -1);
    window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = in + i * window.stride[2];
        if (index[out + i] >= 0 && !(y[out + i] < from[base + at])) continue;
        detail::Largest::accumulate(y[out + i], from[base + at], nullptr, 0);
        const std::int64_t plane = at / (height * width) * height * width;
        index[out + i] = base + (by_columns ? plane + at % width * height + (at - plane) / width : at);
      }
    });
  });
  return {std::move(values), std::move(indices)};
}

inline void max_pool(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = is_float(dtype) ? detail::computed_in(dtype) : dtype;
  const Tensor x = detail::cast(ctx.take_input(0), wide);
  const detail::Window window = detail::pool_window(ctx, x.dims());
  const Dims dims = detail::output_dims(x.dims()[0], x.dims()[1], window);
  const bool by_columns = ctx.attr_or<std::int64_t>("storage_order", 0) != 0;
  Tensor y = detail::unfilled(wide, dims);
  detail::visit<float, double, std::int8_t, std::uint8_t>(wide, [&]<class T>() {
    if (ctx.has_output(1)) {
      auto [values, indices] = max_pool_with_indices<T>(x, window, dims, by_columns, ctx.parallel());
      y = std::move(values);
      ctx.set_output(1, std::move(indices));
    } else {
      detail::pool<detail::Largest>(x.data<T>().data(), y.mutable_data<T>().data(), dims[0] * dims[1], window,
                                    detail::lowest_start<T>, ctx.parallel());
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void average_pool(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = detail::computed_in(dtype);
  const Tensor x = detail::cast(ctx.take_input(0), wide);
  const detail::Window window = detail::pool_window(ctx, x.dims());
  const bool include_pad = ctx.attr_or<std::int64_t>("count_include_pad", 0) != 0;
  Tensor y = detail::unfilled(wide, detail::output_dims(x.dims()[0], x.dims()[1], window));
  detail::visit<float, double>(wide, [&]<class T>() {
    const std::int64_t planes = y.dims()[0] * y.dims()[1];
    T* out = y.mutable_data<T>().data();
    detail::pool<detail::PlainSum>(x.data<T>().data(), out, planes, window, T{0}, ctx.parallel());
    const std::vector<T> counts = detail::pool_counts<T>(window, include_pad);
    for (std::int64_t i = 0; i < y.size(); ++i) out[i] /= counts[detail::to_size(i % window.output_size())];
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void global_average_pool(KernelContext& ctx) { ctx.set_output(0, detail::global_mean(ctx.take_input(0))); }

inline void global_max_pool(KernelContext& ctx) {
  ctx.set_output(0, detail::global_pool(ctx.take_input(0), [](const auto* image, std::int64_t size) {
                   auto most = detail::lowest_start<std::remove_cvref_t<decltype(*image)>>;
                   for (std::int64_t i = 0; i < size; ++i) detail::Largest::accumulate(most, image[i], nullptr, 0);
                   return most;
                 }));
}

inline void add_pool(Kernels& kernels) {
  kernels.add("MaxPool", max_pool)
      .add("AveragePool", average_pool)
      .add("GlobalAveragePool", global_average_pool)
      .add("GlobalMaxPool", global_max_pool);
}

}  // namespace graft::inline v1::standard_kernels
