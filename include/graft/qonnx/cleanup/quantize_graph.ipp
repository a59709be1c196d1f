#pragma once
#include <graft/qonnx/cleanup/quantize_graph.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Inserts Quant nodes at places of nodes.
class QuantInsertion {
 public:
  QuantInsertion(Graph& graph, Context& context) : rewriter_(graph, context, {.values = "quantization"}) {}

  void at(Node& node, const QuantPlace& place, bool must_exist) {
    const bool is_input = place.side == QuantPlace::Side::input;
    const std::string where = (is_input ? "input " : "output ") + std::to_string(place.index);
    if (!done_.insert({&node, is_input, place.index}).second) return;
    Value* const value = is_input ? node.input(place.index) : node.output(place.index);
    if (value == nullptr || value->name().empty()) {
      if (must_exist) throw Error("has no such place: " + where).node(display_name(node));
      return;
    }
    const auto users = value->users();
    const bool is_quantized =
        is_input ? value->producer() != nullptr && is_quantizer(*value->producer())
                 : !users.empty() && !value->is_graph_output() &&
                       std::all_of(users.begin(), users.end(), [](const Node& user) { return is_quantizer(user); });
    if (is_quantized) {
      report_.notes.push_back("'" + display_name(node) + "': " + where + " is quantized already");
      return;
    }
    const Quantizer& quantizer = place.quantizer;
    for (const Tensor* const given : {&quantizer.scale, &quantizer.zero_point, &quantizer.bits})
      check(node, where, value->shape(), *given);
    const Attributes attributes = attributes_of(quantizer);
    const std::string op = std::string(domain) + "::Quant";
    Model& model = node.graph().model();
    if (model.opset(domain) == 0) model.set_opset(1, domain);
    const std::string hint(value->name());
    Node* const next = node.next();
    if (is_input) rewriter_.at(node);
    else if (next != nullptr) rewriter_.at(*next);
    else rewriter_.at_end(node.graph());
    Value& scale = parameter(node.graph(), quantizer.scale, hint + "_scale");
    Value& zero_point = parameter(node.graph(), quantizer.zero_point, hint + "_zero_point");
    Value& bits = parameter(node.graph(), quantizer.bits, hint + "_bits");
    if (is_input) {
      rewriter_.insert_before(node.use(place.index), op, {&scale, &zero_point, &bits}, attributes);
    } else {
      rewriter_.insert_after(*value, op, {&scale, &zero_point, &bits}, attributes);
    }
    if (Verdict kept = rewriter_.accept(); !kept)
      throw Error("cannot be quantized at " + where + ": " + to_string(kept.reason())).node(display_name(node));
    ++report_.changes;
  }

  Report& report() { return report_; }

 private:
  /// Each Quant has its own parameters. A function has no initializers.
  Value& parameter(Graph& scope, const Tensor& tensor, const std::string& hint) {
    return scope.is_function() ? rewriter_.constant(tensor, hint) : scope.add_initializer(tensor, hint);
  }

  static void check(const Node& node, const std::string& where, const Shape& shape, const Tensor& parameter) {
    const std::size_t rank = parameter.rank();
    bool fits = parameter.dtype() == DType::f32 && (!shape.known() || rank <= shape.rank());
    for (std::size_t i = 0; fits && shape.known() && i < rank; ++i) {
      const Dim extent = shape[shape.rank() - rank + i];
      fits = parameter.dims()[i] == 1 || !extent.known() || extent.value() == parameter.dims()[i];
    }
    if (!fits)
      throw Error("a parameter of " + where +
                  " is not float32, or broadcasts it: " + to_string(parameter.dtype(), parameter.dims()))
          .node(display_name(node));
  }

  struct Place {
    const Node* node;
    bool is_input;
    std::size_t index;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  Rewriter rewriter_;
  Report report_;
  std::set<Place> done_;
};

inline std::vector<Node*> nodes_of(Graph& graph) {
  std::vector<Node*> nodes;
  for (Graph* const scope : scopes_of(graph))
    for (Node& node : scope->nodes()) nodes.push_back(&node);
  return nodes;
}

}  // namespace detail

GRAFT_INLINE Pass quantize_graph(QuantMap map) {
  const auto run = [map = std::move(map)](Graph& graph, Context& context) {
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    detail::QuantInsertion insertion(graph, context);
    const std::vector<Node*> nodes = detail::nodes_of(graph);  // without those that are inserted
    std::map<std::string, std::vector<Node*>> by_name;
    if (!map.by_name.empty())
      for (Node* const node : nodes) by_name[display_name(*node)].push_back(node);
    for (const auto& [name, places] : map.by_name) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) throw Error("the graph has no node of this name").node(name);
      for (Node* const node : found->second)
        for (const QuantPlace& place : places) insertion.at(*node, place, true);
    }
    for (Node* const node : nodes) {
      const std::string op(node->op_type());
      const auto places = map.by_op.find(node->domain().empty() ? op : std::string(node->domain()) + "::" + op);
      if (places == map.by_op.end()) continue;
      for (const QuantPlace& place : places->second) insertion.at(*node, place, false);
    }
    transaction.keep();
    return std::move(insertion.report());
  };
  return detail::knowing_qonnx(pass("quantize_graph", run));
}

}  // namespace graft::inline v1::qonnx
