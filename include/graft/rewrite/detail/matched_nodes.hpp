#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/edits.hpp>

namespace graft::inline v1::detail {

/// The matched nodes as they were before a rule applied, to compare its product with them. One object serves all
/// applications, so that its lists are allocated once.
class MatchedNodes {
 public:
  void remember(const Matcher& found) {
    roots_ = found.state().roots;
    old_.clear();
    inputs_.clear();
    for (const auto& matched : found.state().nodes) {
      const Node& node = *matched.node;
      old_.push_back({&node, &node.proto(), node.op(), inputs_.size()});
      for (const Value* const input : node.inputs()) inputs_.push_back(input);
    }
    old_.push_back({nullptr, nullptr, OpId::none, inputs_.size()});
  }

  /// Whether edits that are not accepted yet produced equal nodes. Names do not count; nodes with bodies are never
  /// equal.
  bool equal_product(const Edits& edits) const {
    const auto is_same = [this](const Node* node) { return node->erased() || equal(*node, *node); };
    if (edits.inserted.empty())
      return !edits.changed.empty() && std::all_of(edits.changed.begin(), edits.changed.end(), is_same) &&
             std::none_of(old_.begin(), old_.end() - 1, [](const Old& old) { return old.node->erased(); });
    std::vector<const Node*> made;
    for (const Node* const root : roots_) {
      const auto takes_its_place = [&](const Node* node) { return !node->erased() && equal(*root, *node); };
      const auto found = std::find_if(edits.inserted.rbegin(), edits.inserted.rend(), takes_its_place);
      if (!root->erased() || found == edits.inserted.rend()) return false;
      made.push_back(*found);
    }
    const auto reads_made = [&made](const Node& node) {
      const auto inputs = node.inputs();
      return std::any_of(inputs.begin(), inputs.end(), [&](const Value* input) {
        return input != nullptr && std::find(made.begin(), made.end(), input->producer()) != made.end();
      });
    };
    const auto is_reader = [&](const Node* node) { return is_same(node) || reads_made(*node); };
    if (!std::all_of(edits.changed.begin(), edits.changed.end(), is_reader)) return false;
    for (std::size_t i = 0; i < made.size(); ++i)  // with the new nodes that they read
      for (const Value* const input : made[i]->inputs()) {
        const Node* const producer = input != nullptr ? input->producer() : nullptr;
        const bool is_new = std::find(edits.inserted.begin(), edits.inserted.end(), producer) != edits.inserted.end();
        if (is_new && std::find(made.begin(), made.end(), producer) == made.end()) made.push_back(producer);
      }
    return std::all_of(edits.inserted.begin(), edits.inserted.end(), [&](const Node* node) {
      return node->erased() || std::find(made.begin(), made.end(), node) != made.end();
    });
  }

 private:
  struct Old {
    const Node* node;
    const onnx::NodeProto* payload;  // an edit inside a transaction edits a copy
    OpId op;
    std::size_t first_input;
  };

  /// Whether a node equals a matched node.
  bool equal(const Node& was, const Node& is) const {
    const auto has_it = [&was](const Old& one) { return one.node == &was; };
    const auto old = std::find_if(old_.begin(), old_.end(), has_it);
    if (old == old_.end() || old->op != is.op() || was.output_count() != is.output_count() || !is.bodies().empty() ||
        (old + 1)->first_input - old->first_input != is.input_count())
      return false;
    for (std::size_t i = 0; i < is.input_count(); ++i)
      if (!equal(inputs_[old->first_input + i], is.input(i))) return false;
    const auto &attributes = old->payload->attribute(), &others = is.proto().attribute();
    const auto is_same = [](const auto& a, const auto& b) { return a.SerializeAsString() == b.SerializeAsString(); };
    return std::equal(attributes.begin(), attributes.end(), others.begin(), others.end(), is_same);
  }

  bool equal(const Value* was, const Value* is) const {
    if (was == is) return true;
    if (was == nullptr || is == nullptr) return false;
    if (was->initializer() != nullptr && is->initializer() != nullptr) {
      if (was->is_graph_input() || is->is_graph_input() || was->dtype() != is->dtype() || was->shape() != is->shape())
        return false;
      const std::optional<Tensor> one = was->constant(), other = is->constant();
      return one && other && one->same_bytes(*other);
    }
    const Node* const before = was->producer();
    const Node* const now = is->producer();
    return before != nullptr && now != nullptr && was->index() == is->index() && equal(*before, *now);
  }

  std::vector<Node*> roots_;
  std::vector<Old> old_;  // with a final entry without a node
  std::vector<const Value*> inputs_;
};

}  // namespace graft::inline v1::detail
