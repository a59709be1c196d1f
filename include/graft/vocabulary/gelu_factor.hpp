#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::vocabulary {

/// The operator of this type that makes an operand of a node; nullptr if none does.
inline const Node* operand_made_by(const Node* node, std::string_view op) {
  for (std::size_t i = 0; node != nullptr && i < node->input_count(); ++i) {
    const Node* const producer = node->input(i) == nullptr ? nullptr : node->input(i)->producer();
    if (producer != nullptr && producer->is(op)) return producer;
  }
  return nullptr;
}

/// No if a Mul or Div is the factor 0.5 behind x * (1 + Erf(...)) or x * (1 + Tanh(...)): runtimes look for a whole
/// Gelu, and would not find one whose factor is folded into weights.
inline Verdict is_no_part_of_gelu(const Node& scaling) {
  const Node* const sum = operand_made_by(operand_made_by(&scaling, "Mul"), "Add");
  const bool is_part = operand_made_by(sum, "Erf") != nullptr || operand_made_by(sum, "Tanh") != nullptr;
  return is_part ? Verdict::no("the factor is part of a Gelu") : Verdict::yes();
}

}  // namespace graft::inline v1::vocabulary
