#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

enum class Granularity : std::uint8_t { per_tensor, per_channel };

/// How weights are stored: with one scale or one for each output channel; in how many bits of their 8, by default in as
/// many as the target takes without sums saturating; and what becomes of outliers. A Granularity alone is one.
struct WeightForm {
  constexpr WeightForm(Granularity scales, std::optional<int> width = std::nullopt, Clipping outliers = Clipping::none)
      : granularity(scales), bits(width), clipping(outliers) {}

  /// Along which the scales of the weight of a node lie; nullopt if it has one.
  std::optional<std::size_t> axis(const Node& node, std::size_t rank) const;

  /// In which the weight of a node is stored.
  int bits_of(const Node& node, const Target& target) const;

  friend constexpr bool operator==(const WeightForm&, const WeightForm&) = default;

  Granularity granularity;
  std::optional<int> bits;
  Clipping clipping;
};

}  // namespace graft::inline v1
