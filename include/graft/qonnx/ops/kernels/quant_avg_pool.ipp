#pragma once
#include <graft/qonnx/ops/kernels/quant_avg_pool.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/ops/detail/channels.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// An attribute between 1 and `highest`.
inline std::int64_t counted(const Node& node, std::string_view name, std::int64_t highest) {
  const auto value = node.attr<std::int64_t>(name);
  if (!value) throw Error("the attribute is required").field(name);
  if (*value < 1 || *value > highest)
    throw Error(std::to_string(*value) + " is not from 1 to " + std::to_string(highest)).field(name);
  return *value;
}

}  // namespace detail

GRAFT_INLINE std::int64_t pool_shift(const Node& node) {
  const std::int64_t kernel = detail::counted(node, "kernel", 1 << 12);
  const std::int64_t highest = (std::int64_t{1} << detail::counted(node, "ibits", 32)) - 1;
  const auto accumulator =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(highest * kernel * kernel)));
  return std::max<std::int64_t>(0, accumulator - detail::counted(node, "obits", 64));
}

GRAFT_INLINE void quant_avg_pool_kernel(KernelContext& ctx) {
  const std::int64_t kernel = detail::counted(ctx.node(), "kernel", 1 << 12);
  const std::int64_t stride = detail::counted(ctx.node(), "stride", 1 << 12);
  const double divisor = std::exp2(static_cast<double>(pool_shift(ctx.node())));
  const auto layout = ctx.attr_or<std::string>("data_layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC") throw Error("there is no layout \"" + layout + "\"").field("data_layout");
  const bool channels_last = layout == "NHWC";

  const Tensor x = channels_last ? detail::channels_to_front(ctx.input(0)) : detail::take_x(ctx);
  if (x.rank() != 4) throw Error("the input of dims " + graft::to_string(x.dims()) + " is not an image");
  const std::int64_t height = x.dims()[2], width = x.dims()[3];
  if (height < kernel || width < kernel) throw Error("is larger than the image").field("kernel");
  const Dims dims{x.dims()[0], x.dims()[1], (height - kernel) / stride + 1, (width - kernel) / stride + 1};
  Tensor y = detail::unfilled(dims);
  const float* plane = x.data<float>().data();
  float* to = y.mutable_data<float>().data();
  const auto count = static_cast<float>(kernel * kernel);
  for (std::int64_t p = 0; p < dims[0] * dims[1]; ++p, plane += height * width) {
    for (std::int64_t row = 0; row < dims[2]; ++row) {
      for (std::int64_t column = 0; column < dims[3]; ++column) {
        double sum = 0;
        for (std::int64_t i = 0; i < kernel; ++i) {
          const float* const from = plane + (row * stride + i) * width + column * stride;
          for (std::int64_t j = 0; j < kernel; ++j) sum += static_cast<double>(from[j]);
        }
        // Uses the average in float32, as the operator is defined: for integers that gives the sum.
        const float average = static_cast<float>(sum) / count;
        const double total = graft::detail::round_half_even(static_cast<double>(average * count));
        *to++ = static_cast<float>(std::floor(total / divisor));
      }
    }
  }
  ctx.set_output(0, channels_last ? detail::channels_to_back(y) : y);
}

}  // namespace graft::inline v1::qonnx
