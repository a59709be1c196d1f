#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/quantize/channels.hpp>
#include <graft/quantize/clipping.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

enum class Granularity : std::uint8_t { per_tensor, per_channel };

/// How weights are stored: with one scale or one for each output channel; in how many bits of their 8, or fewer where
/// the target takes no more; and what becomes of outliers. A Granularity alone is one.
struct WeightForm {
  constexpr WeightForm(Granularity scales, int width = 8, Clipping outliers = Clipping::none)
      : granularity(scales), bits(width), clipping(outliers) {}

  /// Along which the scales of the weight of a node lie; nullopt if it has one.
  std::optional<std::size_t> axis(const Node& node, std::size_t rank) const {
    return granularity == Granularity::per_channel ? channel_axis(node, rank) : std::nullopt;
  }

  /// In which the weight of a node is stored.
  int bits_of(const Node& node, const Target& target) const {
    const bool is_limited = bits <= 8 && !is_depthwise(node);  // more are refused where they are used
    return is_limited ? std::min(bits, target.weight_bits) : bits;
  }

  Granularity granularity;
  int bits;
  Clipping clipping;
};

}  // namespace graft::inline v1
