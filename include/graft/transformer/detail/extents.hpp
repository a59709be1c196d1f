#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// The only known element of an integer tensor; unknown if there are several elements, or it is not known.
inline Integer element(const Value* value, KnownContents& known) {
  const Contents* const contents = value != nullptr ? known.contents(*value) : nullptr;
  return contents != nullptr && contents->elements.size() == 1 ? contents->elements[0] : Integer();
}

/// The input of a chain of operators that only reshape.
inline const Value* behind_reshaping(const Value* value) {
  for (const Node* node = value->producer(); node != nullptr; node = value->producer()) {
    if (!reshapes_elements(*node) || node->input(0) == nullptr) break;
    value = node->input(0);
  }
  return value;
}

/// Whether the first extent of a value is known not to be 1, as a number or otherwise: a Reshape may have made it from
/// several windows for each image.
bool has_many(const Value& value);

/// Forgets symbols that inference invented for extents of node outputs. It may know more by now, through targets of
/// Reshapes that have become constant, or through a fused operator. Outputs get their declared symbols, as after
/// loading the model.
void forget_unknown_extents(Graph& graph);

/// Infers dependents of a value again, as far as extents with such symbols become known. Call it if the value is better
/// known than the one that it replaced.
void infer_behind(Rewriter& rewriter, const Value& value);

}  // namespace graft::inline v1::detail
