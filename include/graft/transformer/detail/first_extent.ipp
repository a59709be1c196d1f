#pragma once
#include <graft/transformer/detail/first_extent.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

/// The operand of a product or an elementwise operator whose first extent is that of the result, as the other one has
/// none there, or 1; nullptr if it is not known which.
inline const Value* operand_of_first_axis(const Node& node) {
  const bool broadcasts = node.is("MatMul") || node.is("Add") || node.is("Sub") || node.is("Mul") || node.is("Div");
  if (!broadcasts || node.input(0) == nullptr || node.input(1) == nullptr) return nullptr;
  const std::size_t rank = node.output(0)->shape().rank();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Shape other = node.input(1 - i)->shape();
    if (rank < 3 || !other.known() || node.input(i)->shape().rank() != rank) continue;
    if (other.rank() < rank || other[0] == Dim(1)) return node.input(i);
  }
  return nullptr;
}

GRAFT_INLINE bool has_many(const Value& value) {
  const Value* source = &value;
  for (int steps = 0; source != nullptr && steps < 16; ++steps) {  // more than there are in front of any attention
    const Shape shape = source->shape();
    if (shape.rank() == 0) return false;
    if (shape[0].known()) return shape[0] != Dim(1);
    const Node* const node = source->producer();
    if (node == nullptr) return false;
    if (!node->is("Reshape")) {
      source = operand_of_first_axis(*node);
      continue;
    }
    // The first extent times the others is what the input has of elements: a known number, times what is open.
    const Shape from = node->input(0) == nullptr ? Shape() : node->input(0)->shape();
    if (!from.known() || from.rank() == 0) return false;
    std::vector<Dim> others = infer::to_dims(shape), given = infer::to_dims(from);
    others.erase(others.begin());
    const Dim rest = infer::product(others);
    std::erase_if(given, [](const Dim& dim) { return !dim.known(); });
    const Dim known = infer::product(given);
    if (!rest.known() || rest == Dim(0) || !known.known() || known.value() % rest.value() != 0) return false;
    if (known != rest) return known.value() > rest.value();
    source = given.size() + 1 == from.rank() && !from[0].known() ? node->input(0) : nullptr;
  }
  return false;
}

}  // namespace graft::inline v1::detail
