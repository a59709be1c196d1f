#pragma once
#include <graft/surgery/inputs.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/bypass.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass freeze_inputs() {
  return pass("freeze_inputs",
              [](Graph& graph, Context&) {
                Report report;
                const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
                if (graph.model().ir_version() < 4) {
                  if (std::any_of(inputs.begin(), inputs.end(),
                                  [](const Value* input) { return input->initializer() != nullptr; }))
                    report.notes.push_back("inputs with an initializer stay: below IR 4 they are constants already");
                  return report;
                }
                for (Value* const input : inputs) {
                  if (input->initializer() == nullptr) continue;
                  graph.remove_input(*input);
                  ++report.changes;
                }
                return report;
              })
      .preserves_all();
}

namespace detail {

/// Removes values from a graph, with nodes that need them.
class ValueRemoval {
 public:
  void run(Value& first) {
    std::vector<Value*> open{&first};
    while (!open.empty()) {
      Value& value = *open.back();
      if (value.use_count() == 0) {
        open.pop_back();
        if (Node* const node = value.producer(); node != nullptr && !node->erased() && is_unused(*node))
          node->graph().erase(*node);
        continue;
      }
      Use& use = value.uses().front();
      if (use.is_graph_output()) throw Error("the output cannot be computed without the inputs").field(value.name());
      Node& node = *use.user();
      if (leaves_out(node, use.index())) continue;
      // The node is removed: first the readers of its outputs, then the node itself.
      bool is_read = false;
      for (Value& output : node.outputs()) {
        if (output.use_count() == 0) continue;
        open.push_back(&output);
        is_read = true;
      }
      if (!is_read) node.graph().erase(node);
    }
  }

 private:
  static bool is_unused(const Node& node) {
    return std::none_of(node.outputs().begin(), node.outputs().end(), [](const Value& y) { return y.is_used(); });
  }

  /// Whether the node can do without that input.
  static bool leaves_out(Node& node, std::size_t i) {
    const schema::Operator* const facts = node.schema();
    if (facts == nullptr)
      throw Error("cannot tell whether it needs its input " + std::to_string(i) + " is not known")
          .node(display_name(node));
    if (node.is_any_of({"Add", "Mul", "And", "Or", "Xor"}) || (i == 1 && node.is_any_of({"Sub", "Div", "Pow"}))) {
      Value* const other = node.input(1 - i);
      if (other == nullptr || other == node.input(i)) return false;
      bypass(node, *other);
      return true;
    }
    const schema::Parameter* const parameter = facts->input(i);
    if (parameter == nullptr) return false;
    if (parameter->option == schema::Option::optional) {
      if (i + 1 == node.input_count()) {
        std::size_t count = i;
        while (count > 0 && node.input(count - 1) == nullptr) --count;
        if (!facts->accepts_inputs(count)) return false;
        node.graph().resize_inputs(node, count);
      } else if (!node.graph().set_input(node, i, nullptr)) {
        return false;
      }
      return true;
    }
    // The bodies of Loop and Scan, and the equation of Einsum, depend on the number of operands.
    if (!parameter->variadic() || facts->has_bodies() || node.is("Einsum")) return false;
    if (!facts->accepts_inputs(node.input_count() - 1)) return false;
    for (std::size_t k = i; k + 1 < node.input_count(); ++k)
      if (!node.graph().set_input(node, k, node.input(k + 1))) return false;
    node.graph().resize_inputs(node, node.input_count() - 1);
    return true;
  }
};

}  // namespace detail

GRAFT_INLINE Pass remove_inputs(std::vector<std::string> names) {
  return pass("remove_inputs", [names = std::move(names)](Graph& graph, Context&) {
    Report report;
    detail::Retyping types(graph);
    Transaction transaction(graph);
    for (const std::string& name : names) {
      Value& input = detail::input_called(graph, name);
      detail::ValueRemoval().run(input);
      const bool has_default = input.initializer() != nullptr;
      graph.remove_input(input);
      if (has_default) graph.erase(input);
      ++report.changes;
    }
    if (const std::string problem = types.run(); !problem.empty())
      throw Error("the remaining nodes do not fit: " + problem);
    transaction.keep();
    return report;
  });
}

GRAFT_INLINE Pass reorder_inputs(std::vector<std::size_t> permutation) {
  return pass("reorder_inputs",
              [permutation = std::move(permutation)](Graph& graph, Context&) {
                const auto inputs = graph.inputs();
                if (permutation.size() != inputs.size())
                  throw Error("the permutation has " + std::to_string(permutation.size()) +
                              " elements; the graph has " + std::to_string(inputs.size()) + " inputs");
                std::vector<bool> is_placed(inputs.size());
                std::vector<Value*> order;
                Report report;
                for (const std::size_t from : permutation) {
                  if (from >= inputs.size() || is_placed[from])
                    throw Error(std::to_string(from) + " is out of range, or twice in the permutation");
                  is_placed[from] = true;
                  if (from != order.size()) ++report.changes;
                  order.push_back(inputs[from]);
                }
                if (report.changes != 0) graph.reorder_inputs(order);
                return report;
              })
      .preserves_all();
}

namespace detail {

/// nullopt if the type is unknown or has no zeros.
inline std::optional<Tensor> zeros_like(const Value& value) {
  const Shape shape = value.shape();
  const DType dtype = value.dtype();
  if (!shape.known() || dtype == DType::undefined || dtype == DType::string) return std::nullopt;
  Dims dims;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) dims.push_back(shape[axis].known() ? shape[axis].value() : 1);
  std::string bytes(byte_count(dtype, dims), '\0');
  return Tensor::own(dtype, std::move(dims), std::move(bytes));
}

}  // namespace detail

GRAFT_INLINE Pass zero_out_input(std::string node, std::size_t input) {
  return pass("zero_out_input", [name = std::move(node), input](Graph& graph, Context&) {
    Report report;
    Node& target = detail::node_called(with_bodies(graph), name);
    Graph& scope = target.graph();
    const auto decline = [&](const std::string& why) {
      report.notes.push_back("input " + std::to_string(input) + " of '" + name + "' stays: " + why);
      return report;
    };
    if (target.input(input) == nullptr) return decline("the node does not have it");
    detail::Retyping types(graph);
    std::optional<Tensor> zeros = detail::zeros_like(*target.input(input));
    if (!zeros) return decline("its dtype or its rank is not known, or it holds strings");
    Transaction transaction(graph);
    Node& constant = scope.insert("Constant", {}, 1, {{"value", *std::move(zeros)}}, &target);
    const std::vector<Graph*> scopes = with_bodies(graph);
    scope.rename(constant, detail::free_node_name(scope, scopes, name + "_zero"));
    scope.rename(*constant.output(0), detail::free_name(scope, scopes, name + "_zero_output_0"));
    const Tensor value = *constant.output(0)->constant();
    scope.set_type(*constant.output(0), tensor_type(value.dtype(), Shape(value.dims())));
    if (!scope.set_input(target, input, constant.output(0))) throw Error("would close a cycle").node(name);
    if (const std::string problem = types.run(); !problem.empty()) return decline(problem);
    transaction.keep();
    report.changes = 1;
    return report;
  });
}

}  // namespace graft::inline v1
