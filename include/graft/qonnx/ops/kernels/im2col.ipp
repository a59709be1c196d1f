#pragma once
#include <graft/qonnx/ops/kernels/im2col.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Im2ColWindow::Im2ColWindow(const Node& node) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  const auto list = [&](std::string_view name, const Ints& fallback, std::size_t size, std::int64_t lowest) {
    const Ints values = node.attr<Ints>(name).value_or(fallback);
    const bool sound = std::all_of(values.begin(), values.end(), [&](auto v) { return v >= lowest && v <= limit; });
    if (values.size() != size || !sound)
      throw Error("is not a list of " + std::to_string(size) + " numbers").field(name);
    return values;
  };
  const Ints kernels = list("kernel_size", {}, 2, 1), strides = list("stride", {}, 2, 1);
  const Ints dilations = list("dilations", {1, 1}, 2, 1), pads = list("pad_amount", {0, 0, 0, 0}, 4, 0);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    kernel[axis] = kernels[axis];
    stride[axis] = strides[axis];
    dilation[axis] = dilations[axis];
    pad_begin[axis] = pads[axis];
    pad_end[axis] = pads[axis + 2];
  }
}

GRAFT_INLINE std::optional<std::int64_t> Im2ColWindow::places(std::size_t axis, std::int64_t extent) const {
  const std::int64_t room = extent + pad_begin[axis] + pad_end[axis] - dilation[axis] * (kernel[axis] - 1) - 1;
  if (room < 0) return std::nullopt;
  return room / stride[axis] + 1;
}

GRAFT_INLINE void im2col_kernel(KernelContext& ctx) {
  const Im2ColWindow window(ctx.node());
  const auto pad = static_cast<float>(ctx.attr_or<std::int64_t>("pad_value", 0));
  const Tensor x = detail::take_x(ctx);
  if (x.rank() != 4) throw Error("the input of dims " + graft::to_string(x.dims()) + " is not an image");
  const std::int64_t height = x.dims()[1], width = x.dims()[2], channels = x.dims()[3];
  const auto rows = window.places(0, height), columns = window.places(1, width);
  if (!rows || !columns) throw Error("is larger than the padded image").field("kernel_size");
  Tensor y = detail::unfilled({x.dims()[0], *rows, *columns, window.kernel[0] * window.kernel[1] * channels});
  const float* image = x.data<float>().data();
  float* to = y.mutable_data<float>().data();
  for (std::int64_t n = 0; n < x.dims()[0]; ++n, image += height * width * channels)
    for (std::int64_t row = 0; row < *rows; ++row)
      for (std::int64_t column = 0; column < *columns; ++column)
        for (std::int64_t i = 0; i < window.kernel[0]; ++i)
          for (std::int64_t j = 0; j < window.kernel[1]; ++j, to += channels) {
            const std::int64_t h = row * window.stride[0] + i * window.dilation[0] - window.pad_begin[0];
            const std::int64_t w = column * window.stride[1] + j * window.dilation[1] - window.pad_begin[1];
            if (h < 0 || h >= height || w < 0 || w >= width) {
              std::fill_n(to, channels, pad);
            } else {
              std::copy_n(image + (h * width + w) * channels, channels, to);
            }
          }
  ctx.set_output(0, y);
}

}  // namespace graft::inline v1::qonnx
