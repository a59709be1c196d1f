#pragma once
#include <graft/quantize/target/weight_form.hpp>

#include <graft/config.hpp>
#include <graft/quantize/kernel/channels.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<std::size_t> WeightForm::axis(const Node& node, std::size_t rank) const {
  return granularity == Granularity::per_channel ? channel_axis(node, rank) : std::nullopt;
}

GRAFT_INLINE int WeightForm::bits_of(const Node& node, const Target& target) const {
  return bits.value_or(is_depthwise(node) ? 8 : target.weight_bits);
}

}  // namespace graft::inline v1
