#pragma once
#include <graft/quantize/tune/detail/graph_difference.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether both are absent, both are constant, or both have the same name.
inline bool is_alike(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->is_constant() == b->is_constant() && (a->is_constant() || a->name() == b->name());
}

inline bool has_same_contents(const Value* a, const Value* b) {
  if (a == nullptr || !a->is_constant()) return true;
  const std::optional<Tensor> x = a->constant(), y = b->constant();
  return x && y && x->same_bytes(*y);
}

/// Whether both nodes are equal and have equal inputs.
inline bool is_alike(const Node& a, const Node& b) {
  if (a.op_type() != b.op_type() || a.domain() != b.domain()) return false;
  if (a.input_count() != b.input_count() || a.output_count() != b.output_count()) return false;
  for (std::size_t i = 0; i < a.input_count(); ++i)
    if (!is_alike(a.input(i), b.input(i))) return false;
  for (std::size_t i = 0; i < a.output_count(); ++i)
    if (a.output(i)->name() != b.output(i)->name()) return false;
  if (a.proto().attribute_size() != b.proto().attribute_size()) return false;
  for (int i = 0; i < a.proto().attribute_size(); ++i)
    if (a.proto().attribute(i).SerializeAsString() != b.proto().attribute(i).SerializeAsString()) return false;
  return true;
}

GRAFT_INLINE GraphDifference::GraphDifference(const Graph& a, const Graph& b) {
  a.model().commit();  // writes pending changes to the attributes, including bodies
  b.model().commit();
  bool are_same = true;
  const Node *x = a.first_node(), *y = b.first_node();
  for (; x != nullptr && y != nullptr && is_alike(*x, *y); x = x->next(), y = y->next()) {
    for (std::size_t i = 0; are_same && i < x->input_count(); ++i)
      are_same = has_same_contents(x->input(i), y->input(i));
    first += are_same;
  }
  bool have_same_form = x == nullptr && y == nullptr && a.output_count() == b.output_count();
  for (std::size_t i = 0; have_same_form && i < a.output_count(); ++i)
    have_same_form = is_alike(a.output(i), b.output(i));
  is_none = have_same_form && are_same;
  in_constants_alone = have_same_form && !are_same;
}

}  // namespace graft::inline v1::detail
