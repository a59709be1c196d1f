#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// The only element of what is known of an integer tensor; unknown if there are several, or none is known.
inline Integer element(const Value* value, KnownContents& known) {
  const Contents* const contents = value != nullptr ? known.contents(*value) : nullptr;
  return contents != nullptr && contents->elements.size() == 1 ? contents->elements[0] : Integer();
}

/// The value in front of operators that give the same elements other dims.
inline const Value* behind_reshaping(const Value* value) {
  for (const Node* node = value->producer(); node != nullptr; node = value->producer()) {
    const bool reshapes = node->is("Unsqueeze") || node->is("Reshape") || node->is("Squeeze");
    if (!reshapes || node->input(0) == nullptr) break;
    value = node->input(0);
  }
  return value;
}

/// Whether the first extent of a value is known not to be 1, be it a number or not: a Reshape may have made it of
/// several windows for each image.
bool has_many(const Value& value);

/// Forgets symbols that inference made up for extents of what nodes compute: it may know more since then, by targets of
/// Reshapes that have become constant, or by a fused operator. Outputs have the symbols that are declared, as if the
/// model were loaded again.
void forget_unknown_extents(Graph& graph);

/// Infers again what is computed of a value, as far as more follows for extents with such symbols. To be called where
/// more is known of the value than of the one whose place it took.
void infer_behind(Rewriter& rewriter, const Value& value);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/extents.ipp>
#endif
