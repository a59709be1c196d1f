#pragma once
#include <graft/surgery/outputs.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/expose.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass expose_outputs(std::vector<std::string> nodes) {
  return pass("expose_outputs",
              [names = std::move(nodes)](Graph& graph, Context& context) {
                Report report;
                infer_shapes(graph, context.infer_options());
                Transaction transaction(graph);
                std::vector<Node*> wanted;
                for (const std::string& name : names) wanted.push_back(&detail::node_called({&graph}, name));
                std::sort(wanted.begin(), wanted.end(), [](const Node* a, const Node* b) { return a->before(*b); });
                for (const Node* const node : wanted) {
                  Value* const output = node->output(0);
                  if (output == nullptr || output->name().empty())
                    throw Error("has no first output").node(display_name(*node));
                  if (output->is_graph_output()) continue;
                  detail::expose(graph, *output);
                  ++report.changes;
                }
                transaction.keep();
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass expose_values(std::vector<NamePattern> names) {
  return pass("expose_values",
              [patterns = std::move(names)](Graph& graph, Context& context) {
                Report report;
                std::vector<bool> is_met(patterns.size());
                std::vector<Value*> wanted;
                for (Node& node : graph.nodes()) {
                  for (Value& output : node.outputs()) {
                    if (output.name().empty()) continue;
                    bool is_wanted = false;
                    for (std::size_t i = 0; i < patterns.size(); ++i) {
                      if (!patterns[i].matches(output.name())) continue;
                      is_met[i] = is_wanted = true;
                    }
                    if (is_wanted && !output.is_graph_output()) wanted.push_back(&output);
                  }
                }
                for (std::size_t i = 0; i < patterns.size(); ++i)
                  if (!is_met[i]) throw Error("matches no output of a node of the graph").field(patterns[i].text());
                infer_shapes(graph, context.infer_options());
                for (Value* const value : wanted) {
                  if (!detail::has_type(*value)) {
                    report.notes.push_back("'" + std::string(value->name()) +
                                           "' did not become an output: its type is not known");
                    continue;
                  }
                  detail::expose(graph, *value);
                  ++report.changes;
                }
                return report;
              })
      .preserves_all();
}

namespace detail {

/// The DequantizeLinear of a QuantizeLinear that computes the output.
inline Node& dequantizer_of(const Value& output) {
  const auto is = [](const Node* node, std::string_view op) {
    return node != nullptr && node->op_type() == op && (node->domain().empty() || node->domain() == "com.microsoft");
  };
  Node* const dq = output.producer();
  if (!is(dq, "DequantizeLinear")) throw Error("is not computed by a DequantizeLinear").field(output.name());
  const Value* const q = dq->input(0);
  if (q == nullptr || !is(q->producer(), "QuantizeLinear") || &q->graph() != &output.graph())
    throw Error("its DequantizeLinear does not read a QuantizeLinear").field(output.name());
  if (q->is_graph_output()) throw Error("is an output already").field(q->name());
  return *dq;
}

/// Adds a copy of the value as an output of this name.
inline void expose_copy(Graph& graph, Value& value, const std::string& node, const std::string& name) {
  const std::vector<Graph*> scopes = with_bodies(graph);
  if (free_name(graph, scopes, name) != name) throw Error("the name is taken").field(name);
  Node& copy = graph.insert("Identity", {&value});
  graph.rename(copy, free_node_name(graph, scopes, node));
  graph.rename(*copy.output(0), name);
  graph.set_type(*copy.output(0), value.type() != nullptr ? *value.type() : tensor_type(value.dtype(), value.shape()));
  expose(graph, *copy.output(0));
}

}  // namespace detail

GRAFT_INLINE Pass expose_quantized_output(std::string output) {
  return pass("expose_quantized_output", [name = std::move(output)](Graph& graph, Context& context) {
    Report report;
    Value& y = detail::output_called(graph, name);
    Node& dq = detail::dequantizer_of(y);
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    Value &q = *dq.input(0), &scale = *dq.input(1);
    if (!detail::has_type(q)) throw Error("its type is not known").field(q.name());
    Value* zero_point = dq.input(2);
    if (zero_point == nullptr) {
      const auto dims = scale.shape().dims();
      if (!dims) throw Error("the shape of its scale is not known").field(name);
      zero_point = &graph.add_initializer(
          Tensor::own(q.dtype(), *dims, std::string(byte_count(q.dtype(), *dims), '\0')), name + "_zero_point");
    }
    const std::vector<std::size_t> positions = detail::output_positions(graph, y);
    const onnx::TypeProto type = *q.type();
    graph.set_output(positions.front(), q);
    for (auto i = positions.rbegin(); i + 1 != positions.rend(); ++i) graph.remove_output(*i);
    graph.declare_type(q, type);
    detail::expose_copy(graph, scale, name + "_exposed_scale", name + "_exposed_scale_output");
    detail::expose_copy(graph, *zero_point, name + "_exposed_zero_point", name + "_exposed_zero_point_output");
    if (!y.is_used()) graph.erase(dq);
    transaction.keep();
    report.changes = 1;
    return report;
  });
}

GRAFT_INLINE Pass add_intermediate_tensors_to_outputs(std::vector<std::string> names) {
  return pass("add_intermediate_tensors_to_outputs",
              [names = std::move(names)](Graph& graph, Context& context) {
                Report report;
                infer_shapes(graph, context.infer_options());
                Transaction transaction(graph);
                for (const std::string& name : names) {
                  Value& value = detail::value_called(graph, name);
                  if (value.is_graph_output()) continue;
                  detail::expose(graph, value);
                  ++report.changes;
                }
                transaction.keep();
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass add_intermediate_tensors_to_outputs() {
  return pass(
             "add_intermediate_tensors_to_outputs",
             [](Graph& graph, Context& context) {
               Report report;
               infer_shapes(graph, context.infer_options());
               for (Node& node : graph.nodes()) {
                 for (Value& output : node.outputs()) {
                   if (output.name().empty() || output.is_graph_output()) continue;
                   if (!detail::has_type(output)) {
                     report.notes.push_back("'" + std::string(output.name()) +
                                            "' did not become an output: its type is not known");
                     continue;
                   }
                   detail::expose(graph, output);
                   ++report.changes;
                 }
               }
               return report;
             })
      .preserves_all();
}

}  // namespace graft::inline v1
