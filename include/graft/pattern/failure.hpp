#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

class Node;
class Value;

/// Why a pattern did not match at one place, in the order of the checks.
enum class Why : std::uint8_t {
  none,
  // the operator
  op,
  opset,
  extra_input,
  // an operand
  missing_input,
  unexpected_input,
  not_constant,
  other_value,
  other_output,
  constraint,
  unreadable,
  // an attribute
  attribute_absent,
  attribute_type,
  attribute_not_constant,
  attribute_unreadable,
  attribute_rank_unknown,
  attribute_value,
  attribute_differs,
  attribute_unmentioned,
  // the surroundings
  no_further_root,
  used_elsewhere,
  graph_output,
  used_in_body,
  refused,
  budget,
};

/// The name of the enumerator: "not_constant".
constexpr std::string_view to_string(Why why) {
  constexpr std::string_view names[] = {
      "none", "op", "opset", "extra_input", "missing_input", "unexpected_input", "not_constant", "other_value",
      "other_output", "constraint", "unreadable", "attribute_absent", "attribute_type", "attribute_not_constant",
      "attribute_unreadable", "attribute_rank_unknown", "attribute_value", "attribute_differs", "attribute_unmentioned",
      "no_further_root", "used_elsewhere", "graph_output", "used_in_body", "refused", "budget"};
  return names[static_cast<std::size_t>(why)];
}

/// The attempt with the most matched nodes, as plain data. It points into pattern and graph: format it, by explain(),
/// before either changes.
struct Failure {
  Why why = Why::none;
  std::uint16_t matched = 0;
  std::int16_t row = -1;         // of the pattern's nodes
  std::int16_t attr = -1;        // of the pattern's attributes and constraints
  std::int32_t input = -1;       // of `user`
  const Node* user = nullptr;    // the reader of the operand; nullptr at a root
  const Node* node = nullptr;    // the actual operator
  const Value* value = nullptr;  // the actual value
  std::string_view name{};       // an attribute of `node` that the pattern does not mention
  Reason reason{};               // refused
};

}  // namespace graft::inline v1
