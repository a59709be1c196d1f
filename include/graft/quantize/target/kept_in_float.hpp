#pragma once
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/node_reasons.hpp>

namespace graft::inline v1 {

/// Nodes that are not quantized. exclude_nodes() provides them, the passes that quantize read them.
struct KeptInFloat : NodeReasons {
  static constexpr std::string_view fact_name = "kept_in_float";
  static constexpr bool is_decision = true;
};

/// The same, unless the node is kept in float.
Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept);

}  // namespace graft::inline v1
