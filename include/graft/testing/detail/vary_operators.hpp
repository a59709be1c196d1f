#pragma once
#include <cstddef>
#include <string>

#include <graft/graph/print.hpp>
#include <graft/graph/schema.hpp>
#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Optional inputs are absent, operands of commutative operators are exchanged.
inline void vary_operands(Variations& into) {
  for (const Node& node : into.graph().nodes()) {
    const schema::Operator* const facts = node.schema();
    if (facts == nullptr) continue;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) == nullptr || facts->input(i) == nullptr || facts->input(i)->option != schema::Option::optional)
        continue;
      into.add_retyped(to_string(node.output(0)) + " without input " + std::string(facts->input(i)->name()),
                       [&](Graph& graph) {
                         Node& copy = same_place(graph, node);
                         (void)graph.set_input(copy, i, nullptr);  // no edge closes no cycle
                         std::size_t count = copy.input_count();
                         while (count > 0 && copy.input(count - 1) == nullptr) --count;
                         graph.resize_inputs(copy, count);
                       });
    }
    if (!facts->commutative() || node.input_count() < 2 || node.input(0) == node.input(1)) continue;
    into.add("the operands of " + to_string(node.output(0)) + " exchanged", [&](Graph& graph) {
      Node& copy = same_place(graph, node);
      Value *const first = copy.input(0), *const second = copy.input(1);
      (void)graph.set_input(copy, 0, second);  // both are above the node already
      (void)graph.set_input(copy, 1, first);
    });
  }
}

/// The graph at each other version of the main domain. What it means there may be another thing.
inline void vary_opset(Variations& into) {
  for (int version = 1; version <= schema::newest_opset; ++version) {
    if (version == into.graph().opset()) continue;
    into.add_retyped("opset " + std::to_string(version), [&](Graph& graph) { graph.model().set_opset(version); });
  }
}

}  // namespace graft::inline v1::detail
