#pragma once
#include <graft/surgery/remove_inputs.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/bypass.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {

namespace detail {

/// Takes values out of a graph, with what cannot be computed without them.
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
      // It goes: first what reads its outputs, then the node itself.
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

  static bool is_one_of(const Node& node, const auto& ops) {
    return node.domain().empty() && std::find(ops.begin(), ops.end(), node.op_type()) != ops.end();
  }

  /// Whether the node goes on without that input.
  static bool leaves_out(Node& node, std::size_t i) {
    constexpr std::array<std::string_view, 5> of_either{"Add", "Mul", "And", "Or", "Xor"};
    constexpr std::array<std::string_view, 3> of_first{"Sub", "Div", "Pow"};
    const schema::Operator* const facts = node.schema();
    if (facts == nullptr)
      throw Error("whether it needs its input " + std::to_string(i) + " is not known").node(display_name(node));
    if (is_one_of(node, of_either) || (i == 1 && is_one_of(node, of_first))) {
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
    // The bodies of Loop and Scan, and the equation of Einsum, count the operands.
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
  return pass("remove_inputs", [names = std::move(names)](Graph& graph, Context& context) {
    Report report;
    detail::Retyping types(graph, context);
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
      throw Error("what is left does not fit together: " + problem);
    transaction.keep();
    return report;
  });
}

}  // namespace graft::inline v1
