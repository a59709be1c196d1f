#pragma once
#include <graft/lower/attention_masks_to_sequence_lengths.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// Erases what nothing uses any more, from a value upwards.
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
  if (mask == nullptr || !mask->is_graph_input()) return Verdict::no("the graph has no such mask for an input");
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
    return Verdict::no("the lengths are not computed of the mask");
  if (graph.find("past_seq_len") != nullptr || graph.find("total_seq_len") != nullptr)
    return Verdict::no("the names of the new inputs are taken");
  const Shape shape = mask->shape();
  const Dim batch = shape.known() && shape.rank() > 0 ? shape[0] : Dim();
  Value& past = graph.add_input("past_seq_len", tensor_type(DType::i32, Shape(std::vector<Dim>{batch, Dim(1)})));
  Value& whole = graph.add_input("total_seq_len", tensor_type(DType::i32, Shape(std::vector<Dim>())));
  for (Node* const node : attentions)
    if (!graph.set_input(*node, lengths_input, &past) || !graph.set_input(*node, total_input, &whole))
      return Verdict::no("the inputs cannot be exchanged");
  erase_unused(*lengths);
  erase_unused(*total);
  if (mask->is_used()) return Verdict::no("the mask is used for more than the lengths");
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

}  // namespace graft::inline v1
