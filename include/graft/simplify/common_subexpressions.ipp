#pragma once
#include <graft/simplify/common_subexpressions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/non_default_attributes.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_hash.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether equal nodes of this kind give equal outputs. Without a schema this is unknown, so false.
inline bool is_repeatable(const Node& node) {
  const schema::Operator* const facts = node.schema();
  return facts != nullptr && facts->deterministic() && node.bodies().empty() && !node.is("Identity");
}

/// The inputs, sorted if the operator is commutative.
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
    const std::string bytes = one->SerializeAsString();  // unread, because a tensor may be unreadable
    return !bytes.empty() && bytes == other->SerializeAsString();
  };
  const auto first = non_default_attributes(a), second = non_default_attributes(b);
  return canonical_inputs(a) == canonical_inputs(b) &&
         std::equal(first.begin(), first.end(), second.begin(), second.end(), same_attribute);
}

/// Whether another node may compute the same: it has to read the same values.
inline bool may_have_twin(const Node& node) {
  for (const Value* const input : node.inputs())
    if (input != nullptr && input->use_count() == 1) return false;
  return true;
}

/// The number of Identities that would give names to graph outputs, if the twin replaced the node.
inline std::size_t identities_for(const Node& node, const Node& twin) {
  std::size_t count = 0;
  for (const Value& output : node.outputs())
    count += output.is_graph_output() && twin.output(output.index())->is_graph_output() ? 1 : 0;
  return count;
}

inline void merge_nodes(Graph& scope, Rewriter& rewriter, Report& report) {
  std::unordered_multimap<std::size_t, Node*> seen;
  // The loop skips the only reader of a value. It becomes a candidate when another value is merged into that one, and
  // is then the first reader.
  const auto look_at_reader = [&](const Value& value, const Node& node) {
    if (value.use_count() == 0) return;
    Node* const reader = value.uses().front().user();
    if (reader == nullptr || &reader->graph() != &scope || !reader->before(node) || !is_repeatable(*reader)) return;
    const std::size_t hash = hash_of(*reader);
    const auto [begin, end] = seen.equal_range(hash);
    if (std::none_of(begin, end, [&](const auto& entry) { return entry.second == reader; })) seen.emplace(hash, reader);
  };
  for (Node& node : scope.nodes()) {
    if (rewriter.context().is_cancelled()) report.outcome = Outcome::cancelled;
    if (report.outcome == Outcome::cancelled) return;
    if (!may_have_twin(node) || !is_repeatable(node)) continue;
    const std::size_t hash = hash_of(node);
    const auto [begin, end] = seen.equal_range(hash);
    const auto equal =
        std::find_if(begin, end, [&](const auto& entry) { return compute_the_same(*entry.second, node); });
    if (equal == end) {
      seen.emplace(hash, &node);
      continue;
    }
    if (identities_for(node, *equal->second) > 1) continue;
    std::vector<Value*> successors;
    for (Value& output : equal->second->outputs()) {
      look_at_reader(output, node);
      successors.push_back(&output);
    }
    rewriter.at(node);
    static_cast<void>(rewriter.replace(node, successors));
    if (rewriter.accept()) ++report.changes;
  }
}

/// The elements of an initializer. If they cannot be read, or are strings, the proto without its name.
class StoredContents {
 public:
  explicit StoredContents(const Value& value) {
    try {
      if (std::optional<Tensor> tensor = value.constant()) tensor_ = *std::move(tensor);
    } catch (const Error&) {
    }
    if (tensor_) return;
    onnx::TensorProto proto = *value.initializer();
    proto.clear_name();
    static_cast<void>(proto.SerializeToString(&proto_));
  }
  std::size_t hash() const { return tensor_ ? detail::hash_bytes(tensor_.bytes()) : std::hash<std::string>()(proto_); }
  friend bool operator==(const StoredContents& a, const StoredContents& b) {
    return a.tensor_ ? a.tensor_.same_bytes(b.tensor_) : !b.tensor_ && !a.proto_.empty() && a.proto_ == b.proto_;
  }

 private:
  Tensor tensor_;
  std::string proto_;
};

/// Initializers of one dtype and shape, in groups. Contents are read only in groups of two or more.
inline std::vector<std::vector<Value*>> alike_initializers(const Graph& scope) {
  std::vector<std::vector<Value*>> groups;
  std::unordered_map<std::string, std::size_t> places;
  const auto annotated = scope.annotated();
  for (Value* const value : scope.initializers()) {
    if (!value->is_constant() || value->is_graph_input() || value->is_graph_output()) continue;
    if (annotated.count(value) != 0) continue;
    const onnx::TensorProto& tensor = *value->initializer();
    std::string type = std::to_string(tensor.data_type());
    for (const std::int64_t dim : tensor.dims()) type += ',' + std::to_string(dim);
    const auto [place, fresh] = places.try_emplace(std::move(type), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(value);
  }
  return groups;
}

inline void merge_initializers(Graph& scope, Rewriter& rewriter, Report& report) {
  for (const std::vector<Value*>& group : alike_initializers(scope)) {
    if (group.size() == 1) continue;
    std::unordered_multimap<std::size_t, Value*> seen;
    for (Value* const one : group) {
      if (rewriter.context().is_cancelled()) report.outcome = Outcome::cancelled;
      if (report.outcome == Outcome::cancelled) return;
      const StoredContents contents(*one);
      const std::size_t hash = contents.hash();
      const auto [begin, end] = seen.equal_range(hash);
      const auto equal =
          std::find_if(begin, end, [&](const auto& entry) { return StoredContents(*entry.second) == contents; });
      if (equal == end) {
        seen.emplace(hash, one);
        continue;
      }
      static_cast<void>(rewriter.replace(*one, *equal->second));
      if (rewriter.accept()) ++report.changes;
    }
  }
}

}  // namespace detail

GRAFT_INLINE Pass eliminate_common_subexpressions(CommonSubexpressionOptions options) {
  return pass("eliminate_common_subexpressions",
              [options](Graph& graph, Context& context) {
                Report report;
                Rewriter rewriter(graph, context);
                for (Graph* const scope : scopes_of(graph)) {
                  if (options.initializers) detail::merge_initializers(*scope, rewriter, report);
                  if (options.nodes) detail::merge_nodes(*scope, rewriter, report);
                  if (report.outcome == Outcome::cancelled) break;
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
