#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/non_default_attributes.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing/detail/token_reader.hpp>

namespace graft::inline v1::detail {

/// Attributes that have a value and hold no bodies, by name.
inline std::vector<const onnx::AttributeProto*> plain_attributes(const Node& node) {
  auto attributes = non_default_attributes(node);
  std::erase_if(attributes, [](const onnx::AttributeProto* attribute) {
    return kind(*attribute) == onnx::AttributeProto::GRAPH || kind(*attribute) == onnx::AttributeProto::GRAPHS;
  });
  return attributes;
}

/// A differing attribute of two nodes: its name and both values. The name is empty if there is none.
struct AttributeDifference {
  std::string name{}, a{}, b{};
};

inline AttributeDifference attribute_difference(const Node& a, const Node& b) {
  const auto of_a = plain_attributes(a), of_b = plain_attributes(b);
  const auto text = [](const onnx::AttributeProto* attribute) {
    return attribute ? to_string(*attribute).substr(attribute->name().size() + 1) : "not given";
  };
  std::size_t i = 0, k = 0;
  while (i < of_a.size() || k < of_b.size()) {
    const onnx::AttributeProto* left = i < of_a.size() ? of_a[i] : nullptr;
    const onnx::AttributeProto* right = k < of_b.size() ? of_b[k] : nullptr;
    if (left && right && left->name() != right->name()) (left->name() < right->name() ? right : left) = nullptr;
    i += left != nullptr;
    k += right != nullptr;
    if (left && right && same(*left, *right)) continue;
    AttributeDifference found{(left ? left : right)->name(), text(left), text(right)};
    if (found.a == found.b) found.b += " with other contents";
    return found;
  }
  return {};
}

/// Finds the corresponding values, nodes and scopes of two graphs, starting at the outputs. Every edge has a position,
/// so no search is needed. Stops at the first difference.
class Pairing {
 public:
  /// first, second: the names of the graphs in messages.
  Pairing(std::string_view first, std::string_view second) : first_(first), second_(second) {}

  const std::optional<std::string>& difference() const { return difference_; }
  /// "WHAT is A in the first, B in the second"
  void differ(const std::string& what, const std::string& a, const std::string& b) {
    if (!difference_)
      difference_ = what + " is " + a + " in " + std::string(first_) + ", " + b + " in " + std::string(second_);
  }
  void only_in(bool first, const std::string& what) {
    if (!difference_) difference_ = what + " is in " + std::string(first ? first_ : second_) + " only";
  }

  /// The paired scopes; those of bodies are added when their nodes are paired.
  const std::vector<std::pair<const Graph*, const Graph*>>& scopes() const { return scopes_; }
  bool is_paired(const Node& node) const { return nodes_.contains(&node); }
  bool is_paired(const Value& value) const { return values_.contains(&value); }
  /// The number of the pair of a value from either graph.
  std::size_t number(const Value& value) const { return values_.at(&value).number; }

  /// Pairs two scopes: their inputs, their outputs, and the nodes that compute the outputs.
  void pair(const Graph& a, const Graph& b) {
    pair_signatures(a, b);
    drain();
  }
  /// Pairs two nodes, and the nodes that compute their inputs.
  void pair(const Node& a, const Node& b) {
    pair_nodes(a, b);
    drain();
  }

  static std::string quoted(const Node& node) {
    std::string text = "'";
    text += to_string(node);
    return text += '\'';
  }

 private:
  struct Partner {
    const Value* value;
    std::size_t number;
  };
  /// Two values to pair, and their reader in the first graph: a node, or a graph if they are outputs.
  struct Open {
    const Value *a, *b;
    const Node* reader;
    const Graph* graph;
    std::size_t index;
  };

  static std::string described(const Graph& graph) {
    return graph.owner() == nullptr ? "the graph" : "a body of " + quoted(*graph.owner());
  }
  static std::string described(const Open& open) {
    if (open.reader != nullptr) return "input " + std::to_string(open.index) + " of " + quoted(*open.reader);
    return "output " + std::to_string(open.index) + " of " + described(*open.graph);
  }
  static std::string described(const Value* value) {
    if (value == nullptr) return "absent";
    if (const Node* const producer = value->producer()) {
      return producer->output_count() == 1 ? quoted(*producer)
                                           : "output " + std::to_string(value->index()) + " of " + quoted(*producer);
    }
    return (value->is_graph_input() ? "the input " : "the initializer ") + to_string(value);
  }
  static std::string type_of(const Value& value) {
    return std::string(to_string(value.dtype())) + to_string(value.shape());
  }

  /// Returns true for a new pair; false if the two are paired already, or if one of them has another partner. where():
  /// the position in words.
  bool join(const Value& a, const Value& b, const auto& where) {
    const auto of_a = values_.find(&a), of_b = values_.find(&b);
    if (of_a == values_.end() && of_b == values_.end()) {
      const std::size_t number = values_.size();
      values_.insert({{&a, {&b, number}}, {&b, {&a, number}}});
      return true;
    }
    if (of_a != values_.end() && of_a->second.value == &b) return false;
    const bool first_is_shared = of_a != values_.end();
    const auto& [shared, partner] = first_is_shared ? *of_a : *of_b;
    const Value* const other = first_is_shared ? &b : &a;
    if (!difference_) {
      difference_ = where() + ": " + described(shared) + " of " + std::string(first_is_shared ? first_ : second_) +
                    " stands for both " + described(partner.value) + " and " + described(other) + " of " +
                    std::string(first_is_shared ? second_ : first_);
    }
    return false;
  }

  void pair_signatures(const Graph& a, const Graph& b) {
    scopes_.emplace_back(&a, &b);
    partners_.emplace(&a, &b);
    const auto same_count = [&](const std::string& what, std::size_t of_a, std::size_t of_b) {
      if (of_a != of_b)
        differ("the number of " + what + " of " + described(a), std::to_string(of_a), std::to_string(of_b));
      return of_a == of_b;
    };
    if (!same_count("inputs", a.inputs().size(), b.inputs().size()) ||
        !same_count("outputs", a.output_count(), b.output_count())) {
      return;
    }
    for (std::size_t i = 0; i < a.inputs().size(); ++i) {
      pair_inputs(*a.inputs()[i], *b.inputs()[i], [&] { return "input " + std::to_string(i) + " of " + described(a); });
    }
    for (std::size_t i = 0; i < a.output_count(); ++i) open_.push_back({a.output(i), b.output(i), nullptr, &a, i});
  }

  void pair_inputs(const Value& a, const Value& b, const auto& where) {
    const bool both_known = a.type() != nullptr && b.type() != nullptr;
    if (both_known && type_of(a) != type_of(b)) differ(where(), type_of(a), type_of(b));
    const auto has_default = [](const Value& input) {
      return input.initializer() ? "one with a default" : "one without a default";
    };
    if ((a.initializer() == nullptr) != (b.initializer() == nullptr)) differ(where(), has_default(a), has_default(b));
    if (join(a, b, where) && a.initializer() && b.initializer()) compare_tensors(a, b, where);
  }

  void drain() {
    for (; next_ < open_.size() && !difference_; ++next_) {
      const Open open = open_[next_];
      if (open.a != nullptr || open.b != nullptr) pair_values(open);
    }
  }

  void pair_values(const Open& open) {
    const auto where = [&] { return described(open); };
    const auto fail = [&] { differ(where(), described(open.a), described(open.b)); };
    if (open.a == nullptr || open.b == nullptr) return fail();
    const Value &a = *open.a, &b = *open.b;
    const Node *const from_a = a.producer(), *const from_b = b.producer();
    if (!is_paired(a) && !is_paired(b)) {
      // A value of a scope outside of the compared graphs: both must have the same name.
      const bool around = !partners_.contains(&a.graph());
      if (around ? a.name() != b.name() : partners_.at(&a.graph()) != &b.graph()) return fail();
      if (!around) {
        if ((from_a == nullptr) != (from_b == nullptr) || a.is_graph_input() != b.is_graph_input()) return fail();
        if (from_a != nullptr && (a.index() != b.index() || !same_op(*from_a, *from_b))) return fail();
        if (from_a != nullptr) return pair_nodes(*from_a, *from_b);
      }
    }
    if (join(a, b, where) && a.initializer() && b.initializer()) compare_tensors(a, b, where);
  }

  static bool same_op(const Node& a, const Node& b) { return a.op_type() == b.op_type() && a.domain() == b.domain(); }

  void pair_nodes(const Node& a, const Node& b) {
    nodes_.insert({{&a, &b}, {&b, &a}});
    if (!same_op(a, b)) differ("a node", quoted(a), quoted(b));
    if (a.opset() != b.opset()) {
      differ("the opset of " + quoted(a), std::to_string(a.opset()), std::to_string(b.opset()));
    }
    const AttributeDifference found = attribute_difference(a, b);
    if (!found.name.empty()) differ("attribute '" + found.name + "' of " + quoted(a), found.a, found.b);
    pair_outputs(a, b);
    pair_bodies(a, b);
    for (std::size_t i = 0; i < std::max(a.input_count(), b.input_count()); ++i) {
      open_.push_back({a.input(i), b.input(i), &a, nullptr, i});
    }
  }

  /// An unread output counts as omitted.
  void pair_outputs(const Node& a, const Node& b) {
    for (std::size_t i = 0; i < std::max(a.output_count(), b.output_count()); ++i) {
      const auto is_read = [i](const Node& node) {
        return node.output(i) != nullptr && node.output(i)->use_count() != 0;
      };
      const auto where = [&] { return "output " + std::to_string(i) + " of " + quoted(a); };
      if (is_read(a) != is_read(b)) differ(where(), is_read(a) ? "read" : "not read", is_read(b) ? "read" : "not read");
      if (a.output(i) && b.output(i)) join(*a.output(i), *b.output(i), where);
    }
  }

  void pair_bodies(const Node& a, const Node& b) {
    if (a.bodies().size() != b.bodies().size()) {
      return differ("the number of bodies of " + quoted(a), std::to_string(a.bodies().size()),
                    std::to_string(b.bodies().size()));
    }
    for (const Body& body : a.bodies()) {
      const auto nth =
          std::count_if(a.bodies().data(), &body, [&](const Body& other) { return other.attribute == body.attribute; });
      auto left = nth;
      const auto partner = std::find_if(b.bodies().begin(), b.bodies().end(), [&](const Body& other) {
        return other.attribute == body.attribute && left-- == 0;
      });
      if (partner == b.bodies().end())
        return only_in(true, "body '" + std::string(body.attribute) + "' of " + quoted(a));
      pair_signatures(*body.graph, *partner->graph);
    }
  }

  void compare_tensors(const Value& a, const Value& b, const auto& where) {
    const onnx::TensorProto &of_a = *a.initializer(), &of_b = *b.initializer();
    if (type_of(a) != type_of(b)) return differ(where(), type_of(a), type_of(b));
    if (has_any_contents(of_a) || has_any_contents(of_b)) return;
    if (a.dtype() == DType::string) {
      const auto &left = of_a.string_data(), &right = of_b.string_data();
      if (std::equal(left.begin(), left.end(), right.begin(), right.end())) return;
    } else {
      const Tensor left = read_tensor(of_a, a.graph().model().external_data());
      if (left.same_bytes(read_tensor(of_b, b.graph().model().external_data()))) return;
    }
    differ(where(), described(&a), described(&b) + " with other contents");
  }

  std::string_view first_, second_;
  std::optional<std::string> difference_;
  std::vector<Open> open_;
  std::size_t next_ = 0;
  std::unordered_map<const Value*, Partner> values_;
  std::unordered_map<const Node*, const Node*> nodes_;
  std::unordered_map<const Graph*, const Graph*> partners_;
  std::vector<std::pair<const Graph*, const Graph*>> scopes_;
};

}  // namespace graft::inline v1::detail
