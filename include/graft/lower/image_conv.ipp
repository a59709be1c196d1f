#pragma once
#include <graft/lower/image_conv.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

/// An axis of the window, in blocks of two elements: the zeros in front of w, its number of blocks with them, and the
/// blocks of padding.
struct BlockAxis {
  std::int64_t shift, kernel, front, back;
};

/// Of H and W.
inline std::array<BlockAxis, 2> block_axes(const Value& input, const Node& window, const Tensor& weights) {
  const Ints padding = window.attr<Ints>("pads").value_or(Ints{0, 0, 0, 0});
  const std::string_view how = window.attr<std::string_view>("auto_pad").value_or("NOTSET");
  std::array<BlockAxis, 2> result{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extent = input.shape()[i + 2].value(), kernel = weights.dims()[i + 2];
    std::int64_t front = padding[i], back = padding[i + 2];
    if (how != "NOTSET") {
      const std::int64_t both = how == "VALID" ? 0 : std::max<std::int64_t>(kernel - 2, 0);
      front = how == "SAME_LOWER" ? both - both / 2 : both / 2;
      back = both - front;
    }
    const std::int64_t places = (extent + front + back - kernel) / 2 + 1;
    BlockAxis& blocks = result[i];
    blocks.shift = front % 2;
    blocks.front = front / 2 + blocks.shift;
    blocks.kernel = (kernel + blocks.shift + 1) / 2;
    blocks.back = places - 1 + blocks.kernel - blocks.front - extent / 2;
  }
  return result;
}

inline Verdict strides_over_image(const Value& input, const Node& window, const Tensor& weights) {
  constexpr std::int64_t fewest_products = 1500;
  const Shape image = input.shape();
  if (image.rank() != 4 || weights.rank() != 4) return Verdict::no("it does not have two spatial axes");
  if (window.attr<std::int64_t>("group").value_or(1) != 1 || weights.dims()[1] >= 4)
    return Verdict::no("it has 4 channels or more, or groups");
  if (made_by(input, "DequantizeLinear", 0) != nullptr) return Verdict::no("its input is dequantized");
  if (weights.size() < fewest_products) return Verdict::no("its kernel has too few elements");
  const auto are = [&](const char* name, std::int64_t number, std::int64_t otherwise) {
    const Ints given = window.attr<Ints>(name).value_or(Ints{otherwise, otherwise});
    return given == Ints{number, number};
  };
  if (!are("strides", 2, 1) || !are("dilations", 1, 1)) return Verdict::no("strides are not 2, or dilations not 1");
  const Ints padding = window.attr<Ints>("pads").value_or(Ints{0, 0, 0, 0});
  if (padding.size() != 4 || *std::min_element(padding.begin(), padding.end()) < 0) return Verdict::no("its pads crop");
  for (std::size_t i = 0; i < 2; ++i) {
    const Dim extent = image[i + 2];
    if (!extent.known() || extent.value() % 2 != 0) return Verdict::no("an extent is odd or not known");
    if (extent.value() + padding[i] + padding[i + 2] < weights.dims()[i + 2])
      return Verdict::no("the window does not fit");
  }
  return Verdict::yes();
}

inline Tensor weight_of_blocks(const Value& input, const Node& window, const Tensor& weights) {
  const auto [rows, columns] = block_axes(input, window, weights);
  const Dims& from = weights.dims();
  const Dims made{from[0], 4 * from[1], rows.kernel, columns.kernel};
  const std::vector<double> numbers = weights.to<double>();
  std::vector<double> placed(static_cast<std::size_t>(made[0] * made[1] * made[2] * made[3]));
  std::size_t at = 0;
  for (std::int64_t m = 0; m < from[0]; ++m)
    for (std::int64_t n = 0; n < from[1]; ++n)
      for (std::int64_t p = rows.shift; p < rows.shift + from[2]; ++p)
        for (std::int64_t q = columns.shift; q < columns.shift + from[3]; ++q) {
          const std::int64_t channel = (p % 2 * 2 + q % 2) * from[1] + n;
          const std::int64_t place = ((m * made[1] + channel) * made[2] + p / 2) * made[3] + q / 2;
          placed[static_cast<std::size_t>(place)] = numbers[at++];
        }
  return Tensor::of(weights.dtype(), made, placed);
}

inline Ints kernel_of_blocks(const Value& input, const Node& window, const Tensor& weights) {
  const auto [rows, columns] = block_axes(input, window, weights);
  return {rows.kernel, columns.kernel};
}

inline Ints pads_of_blocks(const Value& input, const Node& window, const Tensor& weights) {
  const auto [rows, columns] = block_axes(input, window, weights);
  return {rows.front, columns.front, rows.back, columns.back};
}

inline Ints strides_of_blocks() { return {1, 1}; }

inline constexpr auto block_pads = attr<"pads", Ints>.named<"block_pads">();

inline constexpr auto block_kernel = attr<"kernel_shape", Ints>;

inline constexpr auto block_strides = attr<"strides", Ints>;

inline constexpr auto block_auto_pad = attr<"auto_pad", std::string_view>;

inline constexpr auto block_size = attr<"blocksize", std::int64_t>;

inline constexpr auto image_conv_to_depth = rule<"image-conv-to-depth">(
    op<"Conv">(x, w, right).as(conv), where(predicate<strides_over_image>("")(x, conv, w)),
    conv(op<"SpaceToDepth">(x).with(block_size = 2), tensor<weight_of_blocks>(x, conv, w), right)
        .with(block_pads = call<pads_of_blocks>(x, conv, w), block_kernel = call<kernel_of_blocks>(x, conv, w),
              block_strides = call<strides_of_blocks>(), block_auto_pad = "NOTSET"));

}  // namespace rules

GRAFT_INLINE constinit const RuleView image_conv_to_depth = rules::image_conv_to_depth.view();

}  // namespace graft::inline v1
