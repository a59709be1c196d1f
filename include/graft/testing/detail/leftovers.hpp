#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/print.hpp>
#include <graft/testing/detail/pairing.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// Colours nodes without effect on outputs by their operator, their inputs and their readers, so that the nodes of two
/// graphs can be paired.
class NodeColors {
 public:
  NodeColors(const Pairing& pairing, const std::vector<const Node*>& nodes) : pairing_(&pairing) {
    for (const Node* const node : nodes) colors_[node] = kind_of(*node);
    for (int round = 0; round < 2; ++round) {
      for (const Node* const node : nodes) {
        for (const Value* const input : node->inputs()) add(*node, color_of(input));
      }
      for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        std::uint64_t users = 0;  // a sum, because the order of readers does not count
        for (const Value& output : (*node)->outputs()) {
          for (const Use& use : output.uses()) users += mixed(mixed(at(use.user()), use.index()), output.index());
        }
        add(**node, users);
      }
    }
  }

  std::uint64_t at(const Node* node) const {
    const auto found = colors_.find(node);
    return found == colors_.end() ? 0 : found->second;
  }

 private:
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Random(Random(a)() + b)(); }
  static std::uint64_t hash(const std::string& text) { return Random(std::string_view(text))(); }

  void add(const Node& node, std::uint64_t word) {
    std::uint64_t& color = colors_[&node];
    color = mixed(color, word);
  }
  static std::uint64_t kind_of(const Node& node) {
    std::uint64_t color = mixed(hash(std::string(node.op_type())), hash(std::string(node.domain())));
    for (const onnx::AttributeProto* const attribute : plain_attributes(node))
      color = mixed(color, hash(to_string(*attribute)));
    return color;
  }
  std::uint64_t color_of(const Value* value) const {
    if (value == nullptr) return 0;
    if (pairing_->is_paired(*value)) return mixed(1, pairing_->number(*value));
    if (const Node* const producer = value->producer()) return mixed(at(producer), value->index());
    return value->initializer() ? hash(contents(*value)) : 0;
  }
  static std::string contents(const Value& value) {
    onnx::TensorProto tensor = *value.initializer();
    tensor.clear_name();
    tensor.clear_doc_string();
    return tensor.SerializeAsString();
  }

  const Pairing* pairing_;
  std::unordered_map<const Node*, std::uint64_t> colors_;
};

/// Pairs nodes without effect on outputs, and unused initializers.
class Leftovers {
 public:
  explicit Leftovers(Pairing& pairing) : pairing_(&pairing) {}

  void pair() {
    for (std::size_t i = 0; i < pairing_->scopes().size(); ++i) {  // the loop adds bodies of dead nodes
      const auto [a, b] = pairing_->scopes()[i];
      pair_dead_ends(*a, *b);
    }
    for (const auto& [a, b] : pairing_->scopes()) {
      compare_nodes(*a, *b);
      compare_initializers(*a, *b);
    }
  }

 private:
  std::vector<const Node*> left_in(const Graph& graph) const {
    std::vector<const Node*> left;
    for (const Node& node : graph.nodes())
      if (!pairing_->is_paired(node)) left.push_back(&node);
    return left;
  }
  static bool is_dead_end(const Node& node) {
    for (const Value& output : node.outputs())
      if (output.use_count() != 0) return false;
    return true;
  }

  void pair_dead_ends(const Graph& a, const Graph& b) {
    const std::vector<const Node*> of_a = left_in(a), of_b = left_in(b);
    if (of_a.empty() || of_b.empty()) return;
    const NodeColors colors_of_a(*pairing_, of_a), colors_of_b(*pairing_, of_b);
    std::unordered_map<std::uint64_t, std::vector<const Node*>> ends;
    for (const Node* const node : of_b)
      if (is_dead_end(*node)) ends[colors_of_b.at(node)].push_back(node);
    for (const Node* const node : of_a) {
      std::vector<const Node*>& alike = ends[colors_of_a.at(node)];
      if (!is_dead_end(*node) || alike.empty()) continue;
      pairing_->pair(*node, *alike.back());
      alike.pop_back();
    }
  }

  void compare_nodes(const Graph& a, const Graph& b) {
    for (const Graph* const graph : {&a, &b}) {
      for (const Node* const node : left_in(*graph))
        pairing_->only_in(graph == &a, "a node without effect, " + Pairing::quoted(*node) + ",");
    }
  }

  void compare_initializers(const Graph& a, const Graph& b) {
    const auto unused = [&](const Graph& graph) {
      std::unordered_map<std::string, std::vector<const Value*>> by_type;
      for (const Value* const value : graph.initializers()) {
        if (pairing_->is_paired(*value)) continue;
        by_type[std::string(to_string(value->dtype())) + to_string(value->shape())].push_back(value);
      }
      return by_type;
    };
    auto of_a = unused(a), of_b = unused(b);
    for (auto& [type, values] : of_a) {
      std::vector<const Value*>& others = of_b[type];
      for (const Value* const value : values) {
        if (others.empty()) return pairing_->only_in(true, "the unused initializer " + to_string(value));
        others.pop_back();
      }
    }
    for (const auto& [type, values] : of_b)
      for (const Value* const value : values) pairing_->only_in(false, "the unused initializer " + to_string(value));
  }

  Pairing* pairing_;
};

}  // namespace graft::inline v1::detail
