#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/float_conv_transpose.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Adds columns [kernel, window's outputs] to the image under the window, each number at the position from which the
/// convolution would read it.
template <class T>
void fold(const Window& window, const T* columns, T* image) {
  window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
    const T* from = columns + k * window.output_size() + out;
    for (std::int64_t i = 0; i < count; ++i) image[in + i * window.stride[2]] += from[i];
  });
}

/// The window of the convolution that ConvTranspose inverts: it slides over the operator's output, and its outputs are
/// the operator's input. Formulas: ONNX ConvTranspose-22.
inline Window transposed_window(const KernelContext& ctx, const Dims& dims, const Ints& kernel) {
  const WindowAttributes attributes(ctx, dims, kernel);
  const std::size_t rank = attributes.rank();
  const Ints extra = WindowAttributes::list(ctx, "output_padding", rank, 0, -WindowAttributes::limit);
  const Ints shape = WindowAttributes::list(ctx, "output_shape", rank, -1, -1);
  Window window;
  Dims product = kernel;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t in = attributes.input[i];
    const std::int64_t full = attributes.strides[i] * (in - 1) + extra[i] + attributes.reach(i);
    std::int64_t begin = attributes.pads[i], end = attributes.pads[rank + i], out = full - begin - end;
    if (shape[i] >= 0 || attributes.same()) {
      out = shape[i] >= 0 ? shape[i] : in * attributes.strides[i];
      const std::int64_t total = std::max<std::int64_t>(0, full - out);
      begin = attributes.leading(total);
      end = total - begin;
    }
    if (out < 0) throw failure({"the padding of an input of ", dims, " leaves nothing"});
    attributes.place(window, i, out, in, begin, end);
    product.push_back(in);
  }
  element_count(product);  // throws if the columns are too many
  return window;
}

/// The window for weights [C, M / groups, kernel...]. Throws Error if they do not fit the input.
inline Window conv_transpose_window(const KernelContext& ctx, const Tensor& x, const Tensor& w, std::int64_t groups) {
  if (w.rank() != x.rank() || w.rank() < 3 || groups < 1 || w.dims()[0] % groups != 0 || x.dims()[1] != w.dims()[0])
    throw failure({"weights of ", w.dims(), " in ", groups, " groups on an input of ", x.dims()});
  return transposed_window(ctx, x.dims(), Ints(w.dims().begin() + 2, w.dims().end()));
}

/// [N, M, the extents of the output]
inline Dims conv_transpose_dims(const Tensor& x, const Tensor& w, std::int64_t groups, const Window& window) {
  Dims dims{x.dims()[0], groups * w.dims()[1]};
  dims.insert(dims.end(), window.input.end() - static_cast<std::ptrdiff_t>(window.rank), window.input.end());
  return dims;
}

/// x is [N, C, spatial...], w [groups, M / groups * kernel, C / groups]. y is [N, M, spatial...], and holds the biases
/// already.
template <class T>
void conv_transpose(const Tensor& x, const Tensor& w, Tensor& y, const Window& window,
                    const ParallelFor* parallel = nullptr) {
  const std::int64_t groups = w.dims()[0], depth = w.dims()[1], channels = w.dims()[2];
  const std::int64_t planes = depth / window.kernel_size(), outputs = window.output_size();
  const T* const from = x.data<T>().data();
  T* const to = y.mutable_data<T>().data();
  // Runs the images and groups in parallel if they are many, else each of them.
  const std::int64_t parts = x.dims()[0] * groups;
  const bool many = parts >= 16;
  const ParallelFor* const inside = many ? nullptr : parallel;
  if constexpr (std::is_same_v<T, float>) {
    if (Padded(window).worthwhile()) {
      const FloatConvTranspose group(window, channels, planes);
      return for_each_part(many ? parallel : nullptr, parts, [&](std::int64_t part) {
        group.run(from + part * channels * outputs, w.data<float>().data() + part % groups * depth * channels,
                  to + part * planes * window.input_size(), inside);
      });
    }
  }
  for_each_part(many ? parallel : nullptr, parts, [&](std::int64_t part) {
    std::vector<T> columns = scratch<T>(depth, outputs);
    add_product(Product{depth, channels, outputs, false, outputs, inside},
                w.data<T>().data() + part % groups * depth * channels, from + part * channels * outputs,
                columns.data());
    for_each_part(inside, planes, [&](std::int64_t plane) {
      fold(window, columns.data() + plane * window.kernel_size() * outputs,
           to + (part * planes + plane) * window.input_size());
    });
  });
}

}  // namespace graft::inline v1::standard_kernels::detail

/// ConvTranspose, Col2Im.
namespace graft::inline v1::standard_kernels {

inline void conv_transpose(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = detail::computed_in(dtype);
  const Tensor x = detail::cast(ctx.take_input(0), wide);
  const Tensor w = detail::cast(ctx.take_input(1), wide);
  const auto groups = ctx.attr<std::int64_t>("group");
  const detail::Window window = detail::conv_transpose_window(ctx, x, w, groups);
  const std::int64_t channels = w.dims()[0] / groups, filters = w.dims()[1];
  Tensor y = detail::spread_biases(ctx, 2, wide, detail::conv_transpose_dims(x, w, groups, window));
  const Tensor turned = permuted(w.reshaped({groups, channels, filters * window.kernel_size()}), {0, 2, 1});
  detail::visit<float, double>(
      wide, [&]<class T>() { detail::conv_transpose<T>(x, turned, y, window, ctx.parallel()); });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

/// Adds columns [N, C * block, positions of the block] to images [N, C, image_shape...].
inline void col2im(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  const Ints block = ctx.input(2).to<std::int64_t>();
  Dims dims = ctx.input(1).to<std::int64_t>();
  dims.insert(dims.begin(), {x.rank() == 3 ? x.dims()[0] : 0, 0});
  element_count(dims);
  const detail::Window window = detail::read_window(ctx, dims, block);
  if (x.rank() != 3 || x.dims()[1] % window.kernel_size() != 0 || x.dims()[2] != window.output_size())
    throw detail::failure({"columns ", x, " of blocks ", block, " for images ", dims});
  dims[1] = x.dims()[1] / window.kernel_size();
  Tensor y(x.dtype(), dims);
  detail::visit<float, double, std::int32_t, std::int64_t>(x.dtype(), [&]<class T>() {
    const T* columns = x.data<T>().data();
    T* image = y.mutable_data<T>().data();
    for (std::int64_t i = 0; i < dims[0] * dims[1]; ++i, image += window.input_size()) {
      detail::fold(window, columns, image);
      columns += window.kernel_size() * window.output_size();
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_conv_transpose(Kernels& kernels) {
  kernels.add("ConvTranspose", conv_transpose).add("Col2Im", col2im);
}

}  // namespace graft::inline v1::standard_kernels
