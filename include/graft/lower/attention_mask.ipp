#pragma once
#include <graft/lower/attention_mask.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// Erases unused nodes, from a value upwards.
inline void erase_unused(Value& last) {
  std::vector<Value*> values{&last};
  while (!values.empty()) {
    Value* const value = values.back();
    values.pop_back();
    if (value == nullptr || value->erased() || value->is_used()) continue;
    Node* const producer = value->producer();
    if (producer == nullptr) {
      if (value->initializer() != nullptr && !value->is_graph_input()) value->graph().erase(*value);
      continue;
    }
    if (std::ranges::any_of(producer->outputs(), [](const Value& output) { return output.is_used(); })) continue;
    values.insert(values.end(), producer->inputs().begin(), producer->inputs().end());
    producer->graph().erase(*producer);
  }
}

inline bool is_computed_of(const Value& value, const Value& source) {
  std::vector<const Value*> open{&value};
  std::unordered_set<const Value*> seen{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (&next == &source) return true;
    if (next.producer() == nullptr) continue;
    for (const Value* const input : next.producer()->inputs())
      if (input != nullptr && seen.insert(input).second) open.push_back(input);
  }
  return false;
}

inline Verdict give_sequence_lengths(Graph& graph, std::string_view mask_name) {
  constexpr std::size_t lengths_input = 5, total_input = 6;
  Value* const mask = graph.find(mask_name);
  if (mask == nullptr || !mask->is_graph_input()) return Verdict::no("the graph has no input of this name");
  std::vector<Node*> attentions;
  for (Node& node : graph.nodes())
    if (node.is("com.microsoft::GroupQueryAttention")) attentions.push_back(&node);
  if (attentions.empty()) return Verdict::no("it has no GroupQueryAttention");
  Value* const lengths = attentions[0]->input(lengths_input);
  Value* const total = attentions[0]->input(total_input);
  for (const Node* const node : attentions)
    if (node->input(lengths_input) != lengths || node->input(total_input) != total || !lengths || !total)
      return Verdict::no("its GroupQueryAttentions do not read the same lengths");
  if (lengths->is_graph_input() || total->is_graph_input()) return Verdict::no("the lengths are inputs already");
  if (!is_computed_of(*lengths, *mask) || !is_computed_of(*total, *mask))
    return Verdict::no("the lengths are not computed from the mask");
  if (graph.find("past_seq_len") != nullptr || graph.find("total_seq_len") != nullptr)
    return Verdict::no("the names of the new inputs are taken");
  const Shape shape = mask->shape();
  const Dim batch = shape.known() && shape.rank() > 0 ? shape[0] : Dim();
  Value& past = graph.add_input("past_seq_len", tensor_type(DType::i32, Shape(std::vector<Dim>{batch, Dim(1)})));
  Value& whole = graph.add_input("total_seq_len", tensor_type(DType::i32, Shape(std::vector<Dim>())));
  for (Node* const node : attentions)
    if (!graph.set_input(*node, lengths_input, &past) || !graph.set_input(*node, total_input, &whole))
      return Verdict::no("the inputs cannot be replaced");
  erase_unused(*lengths);
  erase_unused(*total);
  if (mask->is_used()) return Verdict::no("the mask has readers other than the lengths");
  std::vector<Value*> order(graph.inputs().begin(), graph.inputs().end() - 2);
  const auto place = std::ranges::find(order, mask) - order.begin();
  order.insert(order.begin() + place, {&past, &whole});
  graph.reorder_inputs(order);
  graph.remove_input(*mask);
  return Verdict::yes();
}

}  // namespace detail

GRAFT_INLINE Pass attention_masks_to_sequence_lengths(std::string mask) {
  return pass("attention_masks_to_sequence_lengths", [mask = std::move(mask)](Graph& graph, Context& context) {
    Report report;
    if (graph.parent() != nullptr || graph.is_function()) return report;
    Transaction transaction(graph);
    const Verdict done = detail::give_sequence_lengths(graph, mask);
    if (done) {
      transaction.keep();
      report.changes = 1;
    } else if (context.refusals) {
      report.refuse("attention_masks_to_sequence_lengths", mask, done.reason());
    }
    return report;
  });
}

namespace detail {

class MaskValues {
 public:
  MaskValues(float threshold, float replacement) : threshold_(threshold), replacement_(replacement) {}

  /// Of an initializer.
  bool replace(Value& value, Context& context, Report& report) const {
    if (value.dtype() != DType::f32 || !value.is_constant()) return false;
    const std::optional<Tensor> raised = raise(value.constant());
    if (!raised || !is_mask(value, value.name(), context, report)) return false;
    value.graph().set_initializer(value, *raised);
    return true;
  }

  /// Of a Constant or ConstantOfShape.
  bool replace(Node& node, Context& context, Report& report) const {
    for (const char* const name : {"value", "value_float", "value_floats"}) {
      if (node.attribute(name) == nullptr || is_reference(*node.attribute(name))) continue;
      const Attribute attribute = raised(node, name);
      if (attribute.name().empty() || !is_mask(*node.output(0), display_name(node), context, report)) continue;
      node.graph().set_attribute(node, attribute);
      return true;
    }
    return false;
  }

 private:
  /// The constant with replaced elements; nullopt if none is below the threshold.
  std::optional<Tensor> raise(const std::optional<Tensor>& contents) const {
    if (!contents || contents->dtype() != DType::f32) return std::nullopt;
    std::vector<float> numbers = contents->to<float>();
    if (!raise(numbers)) return std::nullopt;
    return Tensor::of<float>(contents->dims(), numbers);
  }
  bool raise(std::vector<float>& numbers) const {
    bool changes = false;
    for (float& number : numbers) {
      changes = changes || number < threshold_;
      if (number < threshold_) number = replacement_;
    }
    return changes;
  }
  /// Has no name if nothing changes.
  Attribute raised(const Node& node, std::string_view name) const {
    if (name == "value") {
      const std::optional<Tensor> tensor = raise(node.attr<Tensor>(name));
      return tensor ? Attribute(name, *tensor) : Attribute("", 0);
    }
    Floats numbers = name == "value_float" ? Floats{*node.attr<float>(name)} : *node.attr<Floats>(name);
    if (!raise(numbers)) return {"", 0};
    return name == "value_float" ? Attribute(name, numbers[0]) : Attribute(name, numbers);
  }

  static bool is_mask(const Value& value, std::string_view name, const Context& context, Report& report) {
    for (const Use& use : value.uses()) {
      const Node* const user = use.user();
      const auto is_any = [&](auto... ops) { return (user->is(ops) || ...); };
      if (user != nullptr && is_any("Add", "Mul", "Expand", "Where", "Shape")) continue;
      if (context.refusals)
        report.refusals.push_back({"replace_attention_mask_values", std::string(name),
                                   user == nullptr
                                       ? "it is a graph output"
                                       : display_name(*user) + ", a " + std::string(user->op_type()) + ", reads it"});
      return false;
    }
    return true;
  }

  float threshold_, replacement_;
};

}  // namespace detail

GRAFT_INLINE Pass replace_attention_mask_values(float threshold, float replacement) {
  if (std::isnan(threshold) || std::isnan(replacement)) throw Error("the threshold or the replacement is not a number");
  const detail::MaskValues values(threshold, replacement);
  return pass("replace_attention_mask_values", [values](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    for (Graph* const scope : scopes_of(graph)) {
      for (Value* const value : scope->initializers()) report.changes += values.replace(*value, context, report);
      for (Node& node : scope->nodes())
        if (node.is("Constant") || node.is("ConstantOfShape")) report.changes += values.replace(node, context, report);
    }
    transaction.keep();
    return report;
  });
}

}  // namespace graft::inline v1
