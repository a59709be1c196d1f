#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::vocabulary {

/// Whether an operator of this type makes one of the node's operands, and satisfies `holds`.
template <class Holds>
bool has_operand(const Node& node, std::string_view op, const Holds& holds) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Node* const producer = node.input(i) == nullptr ? nullptr : made_by(*node.input(i), op, 0);
    if (producer != nullptr && holds(*producer)) return true;
  }
  return false;
}

/// No if a Mul or Div is the factor 0.5 after x * (1 + Erf(...)) or x * (1 + Tanh(...)): runtimes look for a whole
/// Gelu, and would not find one with its factor folded into weights.
inline Verdict is_no_part_of_gelu(const Node& scaling) {
  const auto always = [](const Node&) { return true; };
  const auto bends = [&](const Node& sum) {
    return has_operand(sum, "Erf", always) || has_operand(sum, "Tanh", always);
  };
  const auto is_gated = [&](const Node& product) { return has_operand(product, "Add", bends); };
  return has_operand(scaling, "Mul", is_gated) ? Verdict::no("the factor is part of a Gelu") : Verdict::yes();
}

}  // namespace graft::inline v1::vocabulary
