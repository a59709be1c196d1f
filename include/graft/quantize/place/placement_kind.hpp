#pragma once
#include <cstdint>

namespace graft::inline v1 {

enum class Placement : std::uint8_t {
  naive,          ///< a pair behind every Conv and each activation that could vanish into it, or the first
  fusion_aware,   ///< none between a Conv and the activations that the target fuses
  conv_only,      ///< the same, and integers pass through what moves them between one Conv and the next
  all_supported,  ///< the same for every operator that the target computes in integers
  min_cost,       ///< for those whose integer kernels gain more, in all, than conversions at their border take
};

/// Whether prepare_model() rewrites for this placement what would stay in float otherwise.
constexpr bool rewrites_model(Placement placement) { return placement >= Placement::conv_only; }

}  // namespace graft::inline v1
