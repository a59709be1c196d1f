#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/external_data.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor_hash.hpp>
#include <graft/rewrite/detail/live_nodes.hpp>
#include <graft/rewrite/edits.hpp>

namespace graft::inline v1::detail {

/// Records which application of which rule made a node. A rule loops if it meets a structure again that it rewrote at
/// an ancestor of the node.
class Lineage {
 public:
  struct Application {
    std::size_t rule;
    std::size_t parent;  // the application that made the root; 0: none
    std::uint64_t structure;
  };

  /// Describes a coming application. Nodes made by this run are compared by structure, others by identity.
  Application describe(std::size_t rule, const Node& root, std::size_t height) const {
    std::size_t budget = 64;
    return {rule, origin(&root), structure(root, height + 2, budget)};
  }

  /// The rules of the loop in order, the coming one first; empty if there is none.
  std::vector<std::size_t> circle(const Application& coming) const {
    constexpr std::size_t longest = 256;
    std::vector<std::size_t> rules{coming.rule};
    for (std::size_t at = coming.parent; at != 0 && rules.size() < longest; at = applications_[at - 1].parent) {
      const Application& before = applications_[at - 1];
      if (before.rule == coming.rule && before.structure == coming.structure) {
        std::reverse(rules.begin() + 1, rules.end());
        return rules;
      }
      rules.push_back(before.rule);
    }
    return {};
  }

  void record(const Application& done, Node& root, const Edits& edits) {
    applications_.push_back(done);
    for (Node* const node : edits.inserted)
      if (!node->erased()) made(*node);
    if (!root.erased()) made(root);
  }

 private:
  void made(Node& node) { *made_by_.insert(node).first = applications_.size(); }
  std::size_t origin(const Node* node) const {
    const std::size_t* const found = made_by_.find(*node);
    return found == nullptr ? 0 : *found;
  }

  std::uint64_t structure(const Node& node, std::size_t depth, std::size_t& budget) const {
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(node.op()), node.input_count());
    for (const onnx::AttributeProto& attribute : node.proto().attribute())
      hash = mixed(hash, std::hash<std::string>{}(attribute.SerializeAsString()));
    for (const Value* const value : node.inputs())
      hash = mixed(hash, value == nullptr ? 0 : structure(*value, depth - 1, budget));
    return hash;
  }
  /// A hash of the nodes behind a value. Recursive to the depth of patterns, over a bounded number of nodes.
  std::uint64_t structure(const Value& value, std::size_t depth, std::size_t& budget) const {
    if (value.initializer() != nullptr) {
      const onnx::TensorProto& tensor = *value.initializer();
      constexpr std::size_t sample = 4096;
      std::uint64_t hash = mixed(static_cast<std::uint64_t>(tensor.data_type()), tensor.raw_data().size());
      for (const std::int64_t dim : tensor.dims()) hash = mixed(hash, static_cast<std::uint64_t>(dim));
      if (ExternalData::is_stowed(tensor)) {
        ExternalLocation start = external_location(tensor);
        start.length = std::min<std::uint64_t>(sample, start.length.value_or(sample));
        const Dims dims{static_cast<std::int64_t>(*start.length)};
        const ExternalData& data = *value.graph().model().external_data();
        return hash_bytes(data.find(start, DType::u8, dims, tensor.name()).bytes(), hash);
      }
      const std::string& bytes = tensor.raw_data();
      if (bytes.empty()) return mixed(hash, reinterpret_cast<std::uintptr_t>(&value));
      return hash_bytes(std::as_bytes(std::span(bytes.data(), std::min(sample, bytes.size()))), hash);
    }
    const Node* const producer = value.producer();
    const bool is_known = producer == nullptr || origin(producer) == 0;
    if (is_known || depth == 0 || budget == 0) return reinterpret_cast<std::uintptr_t>(&value);
    --budget;
    return mixed(structure(*producer, depth, budget), value.index());
  }

  std::vector<Application> applications_;
  LiveNodes<std::size_t> made_by_;
};

}  // namespace graft::inline v1::detail
