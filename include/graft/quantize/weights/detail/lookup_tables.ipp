#pragma once
#include <graft/quantize/weights/detail/lookup_tables.hpp>

#include <algorithm>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Functions have no initializers.
inline bool is_in_function(const Graph& scope) {
  const Graph* root = &scope;
  while (root->parent() != nullptr) root = root->parent();
  return root->is_function();
}

inline bool is_large_table(const Value& table, std::int64_t least_elements) {
  if (const std::optional<Tensor> constant = table.constant())
    return constant->dtype() == DType::f32 && constant->rank() > 0 && constant->size() >= least_elements;
  if (table.initializer() == nullptr || table.dtype() != DType::f32) return false;
  const auto& dims = table.initializer()->dims();
  return element_count(Dims(dims.begin(), dims.end())) >= least_elements;
}

GRAFT_INLINE std::vector<Value*> lookup_tables(Graph& graph, std::int64_t least_elements) {
  std::vector<Value*> found;
  for (Graph* const scope : scopes_of(graph)) {
    if (is_in_function(*scope)) continue;
    for (Node& node : scope->nodes()) {
      Value* const table = node.is("Gather") ? node.input(0) : nullptr;
      if (table != nullptr && is_large_table(*table, least_elements) && std::ranges::find(found, table) == found.end())
        found.push_back(table);
    }
  }
  return found;
}

GRAFT_INLINE std::string why_reader_in_float(const Use& use, const KeptInFloat& kept) {
  if (use.is_graph_output()) return "it is an output of the graph";
  const Node& reader = *use.user();
  const std::string name = "'" + display_name(reader) + "'";
  if (!reader.is("Gather") || use.index() != 0) return name + " reads it too";
  const std::int64_t axis = reader.attr<std::int64_t>("axis").value_or(0);
  if (axis != 0 && axis != -static_cast<std::int64_t>(reader.input(0)->constant()->rank()))
    return name + " reads it along axis " + std::to_string(axis);
  return kept.holds(reader) ? name + ": " + std::string(kept.reason(reader)) : "";
}

GRAFT_INLINE std::string why_table_in_float(const Value& table, const KeptInFloat& kept) {
  if (!table.is_constant()) return "it is an input that the caller may override";
  for (const Use& use : table.uses())
    if (std::string why = why_reader_in_float(use, kept); !why.empty()) return why;
  return extent_of(table.constant()->data<float>()).finite ? "" : "it holds a value that is not finite";
}

}  // namespace graft::inline v1::detail
