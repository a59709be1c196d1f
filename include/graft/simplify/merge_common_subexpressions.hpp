#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/non_default_attributes.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether equal nodes of its kind give equal outputs. Of an operator without a schema nobody knows.
inline bool is_repeatable(const Node& node) {
  const schema::Operator* const facts = node.schema();
  return facts != nullptr && facts->deterministic() && node.bodies().empty() && !node.is("Identity");
}

/// The inputs; those of a commutative operator in an order of their own.
inline std::vector<const Value*> canonical_inputs(const Node& node) {
  std::vector<const Value*> inputs(node.inputs().begin(), node.inputs().end());
  if (node.schema()->commutative()) std::sort(inputs.begin(), inputs.end(), std::less<>());
  return inputs;
}

inline std::size_t combined(std::size_t seed, std::size_t more) {
  return (seed ^ more) * 0x9e3779b97f4a7c15u + (seed >> 32);
}

inline std::size_t hash_of(const Node& node) {
  std::size_t hash = static_cast<std::size_t>(node.op());
  for (const Value* const input : canonical_inputs(node)) hash = combined(hash, std::hash<const Value*>()(input));
  for (const onnx::AttributeProto* const attribute : non_default_attributes(node))
    hash = combined(hash, std::hash<std::string>()(attribute->SerializeAsString()));
  return hash;
}

inline bool compute_the_same(const Node& a, const Node& b) {
  if (a.op() != b.op() || a.output_count() != b.output_count()) return false;
  for (std::size_t i = 0; i < a.output_count(); ++i)
    if (a.output(i)->name().empty() && !b.output(i)->name().empty()) return false;
  const auto same_attribute = [](const auto* one, const auto* other) {
    return one->name() == other->name() && same(*one, *other);
  };
  const auto first = non_default_attributes(a), second = non_default_attributes(b);
  return canonical_inputs(a) == canonical_inputs(b) &&
         std::equal(first.begin(), first.end(), second.begin(), second.end(), same_attribute);
}

inline std::size_t merge_nodes(Graph& scope, Rewriter& rewriter) {
  std::size_t merged = 0;
  std::unordered_multimap<std::size_t, Node*> seen;
  for (Node& node : scope.nodes()) {
    if (!is_repeatable(node)) continue;
    const std::size_t hash = hash_of(node);
    const auto [begin, end] = seen.equal_range(hash);
    const auto equal =
        std::find_if(begin, end, [&](const auto& entry) { return compute_the_same(*entry.second, node); });
    if (equal == end) {
      seen.emplace(hash, &node);
      continue;
    }
    std::vector<Value*> successors;
    for (Value& output : equal->second->outputs()) successors.push_back(&output);
    rewriter.at(node);
    static_cast<void>(rewriter.replace(node, successors));
    if (rewriter.commit()) ++merged;
  }
  return merged;
}

inline std::size_t merge_initializers(Graph& scope, Rewriter& rewriter) {
  std::size_t merged = 0;
  std::unordered_map<std::string, std::vector<Value*>> alike;  // by type: contents are looked at where there are two
  for (Value* const value : scope.initializers()) {
    if (!value->is_constant() || value->is_graph_input() || value->is_graph_output()) continue;
    const onnx::TensorProto& tensor = *value->initializer();
    if (tensor.data_type() != onnx::TensorProto::STRING)
      alike[std::to_string(tensor.data_type()) + to_string(Shape(tensor))].push_back(value);
  }
  const auto bytes = [](const Tensor& tensor) {
    return std::string_view(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  };
  for (Value* const value : scope.initializers()) {
    const onnx::TensorProto& tensor = *value->initializer();
    const auto group = alike.find(std::to_string(tensor.data_type()) + to_string(Shape(tensor)));
    if (group == alike.end()) continue;
    const std::vector<Value*> values = std::move(group->second);
    alike.erase(group);
    if (values.size() == 1) continue;
    std::unordered_multimap<std::size_t, Value*> seen;
    for (Value* const one : values) {
      const Tensor contents = *one->constant();
      const std::size_t hash = std::hash<std::string_view>()(bytes(contents));
      const auto [begin, end] = seen.equal_range(hash);
      const auto equal =
          std::find_if(begin, end, [&](const auto& entry) { return entry.second->constant()->same_bytes(contents); });
      if (equal == end) {
        seen.emplace(hash, one);
        continue;
      }
      static_cast<void>(rewriter.replace(*one, *equal->second));
      if (rewriter.commit()) ++merged;
    }
  }
  return merged;
}

}  // namespace detail

/// Of nodes of one scope that compute the same, the first serves all: the same operator over the same inputs (in any
/// order where it is commutative), with the same attributes, defaults included. So do equal initializers. Random
/// operators, those with bodies and those that graft has no schema of stay.
inline Pass merge_common_subexpressions() {
  return pass("merge_common_subexpressions", [](Graph& graph, Context& context) {
    Report report;
    Rewriter rewriter(graph, context);
    for (Graph* const scope : scopes_of(graph)) {
      report.changes += detail::merge_initializers(*scope, rewriter);
      report.changes += detail::merge_nodes(*scope, rewriter);
    }
    return report;
  });
}

}  // namespace graft::inline v1
