#pragma once
#include <graft/quantize/target/kept_in_float.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept) {
  return kept.holds(node) ? Verdict::no({kept.reason(node), "kept_in_float", {}, 0}) : quantizable(node, target);
}

}  // namespace graft::inline v1
