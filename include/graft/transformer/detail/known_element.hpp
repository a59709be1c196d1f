#pragma once
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

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

}  // namespace graft::inline v1::detail
