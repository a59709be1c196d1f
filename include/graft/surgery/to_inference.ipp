#pragma once
#include <graft/surgery/to_inference.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/bypass.hpp>

namespace graft::inline v1 {
namespace detail {

/// The result for a node: nullopt if it was in inference already; "" if it was switched; else the reason why it stays
/// in training mode.
using SwitchResult = std::optional<std::string>;

/// Whether the flag may be set: it is set, or refers to an attribute of the function.
inline bool may_be_set(const Node& node, std::string_view flag) {
  const onnx::AttributeProto* const given = node.attribute(flag);
  return given != nullptr && (given->i() != 0 || !given->ref_attr_name().empty());
}

/// Operators below 7 are in training unless is_test is set.
inline bool is_under_test(const Node& node) {
  const onnx::AttributeProto* const given = node.attribute("is_test");
  return given != nullptr && given->i() != 0;
}

inline void put_under_test(Node& node) { node.graph().set_attribute(node, Attribute("is_test", std::int64_t{1})); }

/// The reason why an output must stay; "" if there is none.
inline std::string why_needed(const Value& output) {
  if (!output.is_used()) return {};
  return "'" + std::string(output.name()) + (output.is_graph_output() ? "' is an output of the graph" : "' is read");
}

inline SwitchResult switch_dropout(Node& node, int version) {
  if (version < 7) {
    if (is_under_test(node)) return std::nullopt;
    if (std::string why = node.output_count() > 1 ? why_needed(*node.output(1)) : ""; !why.empty()) return why;
    put_under_test(node);
    return "";
  }
  Value* const mode = node.input(2);
  if (mode == nullptr) return std::nullopt;
  const std::optional<Tensor> constant = mode->constant();
  if (!constant || constant->size() != 1) return "its training_mode is not constant";
  if (!constant->item<bool>()) return std::nullopt;
  node.graph().resize_inputs(node, node.input(1) != nullptr ? 2 : 1);
  if (!mode->is_used() && mode->producer() == nullptr && !mode->is_graph_input()) mode->graph().erase(*mode);
  return "";
}

/// The same node with its first output only: some runtimes take omitted outputs for a sign of training.
inline Node& with_one_output(Node& node) {
  Graph& graph = node.graph();
  const std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  Node& successor = graph.insert(payload_of(node), inputs, 1, &node);
  Value &y = *node.output(0), &new_y = *successor.output(0);
  if (y.type() != nullptr) graph.set_type(new_y, *y.type());
  if (!graph.replace_uses(y, new_y)) throw Error("removing its outputs would close a cycle").node(display_name(node));
  hand_over_outputs(y, new_y);
  graph.erase(node);
  return successor;
}

inline SwitchResult switch_batch_normalization(Node& node, int version) {
  const bool is_training = version < 7 ? !is_under_test(node) : may_be_set(node, "training_mode");
  bool has_statistics = false;
  for (std::size_t i = 1; i < node.output_count(); ++i) {
    if (std::string why = why_needed(*node.output(i)); !why.empty()) return why;
    has_statistics = has_statistics || !node.output(i)->name().empty();
  }
  if (!is_training && !has_statistics) return std::nullopt;
  Node& successor = node.output_count() > 1 ? with_one_output(node) : node;
  if (version < 7) put_under_test(successor);
  if (successor.attribute("training_mode") != nullptr) successor.graph().remove_attribute(successor, "training_mode");
  return "";
}

struct TrainingOperator {
  std::string_view op;
  SwitchResult (*to_inference)(Node&, int version);
};

inline constexpr std::array training_operators{TrainingOperator{"Dropout", switch_dropout},
                                               TrainingOperator{"BatchNormalization", switch_batch_normalization}};

}  // namespace detail

GRAFT_INLINE Pass to_inference() {
  return pass("to_inference", [](Graph& graph, Context&) {
    Report report;
    Transaction transaction(graph);
    std::array<std::size_t, detail::training_operators.size()> switched{};
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        const auto entry = std::find_if(detail::training_operators.begin(), detail::training_operators.end(),
                                        [&](const detail::TrainingOperator& one) { return node.is(one.op); });
        if (entry == detail::training_operators.end() || node.schema() == nullptr) continue;
        const std::string name = display_name(node);
        const detail::SwitchResult why_not = entry->to_inference(node, node.schema()->since_version);
        if (!why_not) continue;
        if (why_not->empty()) ++switched[static_cast<std::size_t>(entry - detail::training_operators.begin())];
        else report.notes.push_back("'" + name + "' stays in training mode: " + *why_not);
      }
    }
    transaction.keep();
    for (std::size_t i = 0; i < switched.size(); ++i) {
      if (switched[i] == 0) continue;
      report.changes += switched[i];
      report.notes.push_back(std::to_string(switched[i]) + " " + std::string(detail::training_operators[i].op) +
                             (switched[i] == 1 ? " was" : " were") + " in training mode");
    }
    return report;
  });
}

namespace detail {

inline bool is_memcpy(const Node& node) {
  const bool is_named_so = node.op_type() == "MemcpyFromHost" || node.op_type() == "MemcpyToHost";
  return is_named_so && (node.domain().empty() || node.domain() == "com.microsoft") && node.output_count() == 1 &&
         node.input(0) != nullptr;
}

}  // namespace detail

GRAFT_INLINE Pass remove_memcpy() {
  return pass("remove_memcpy",
              [](Graph& graph, Context&) {
                Report report;
                Transaction transaction(graph);
                for (Graph* const scope : scopes_of(graph)) {
                  for (Node& node : scope->nodes()) {
                    if (!detail::is_memcpy(node)) continue;
                    detail::bypass(node, *node.input(0));
                    ++report.changes;
                  }
                }
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
