#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1::detail {

/// A rule, and the operator that it makes.
struct Fusion {
  std::string_view op;
  RuleView rule;
};

/// Whether graft has to make the operator: the runtime has a kernel, and does not make all of them itself.
inline bool is_wanted(const FusedOperators& runtime, std::string_view op) {
  const FusedOperator* const found = runtime.find(op);
  return found != nullptr && found->at_load != AtLoad::fused;
}

/// Forgets symbols that inference made up for extents of what nodes compute: it may know more since then, by targets of
/// Reshapes that have become constant, or by a fused operator.
inline void forget_unknown_extents(Graph& graph) {
  const auto is_made_up = [](const Dim& extent) { return extent.symbol().starts_with("unk__"); };
  for (Graph* const scope : scopes_of(graph)) {
    for (Node& node : scope->nodes()) {
      for (Value& output : node.outputs()) {
        const Shape known = output.shape();
        std::vector<Dim> dims;
        for (std::size_t axis = 0; axis < known.rank(); ++axis) dims.push_back(known[axis]);
        if (std::none_of(dims.begin(), dims.end(), is_made_up) || !output.type()->has_tensor_type()) continue;
        std::replace_if(dims.begin(), dims.end(), is_made_up, Dim());
        scope->set_type(output, tensor_type(output.dtype(), Shape(std::move(dims))));
      }
    }
  }
}

/// Applies the rules whose operators are wanted, on a typed graph.
inline Pass fusions(std::string name, const FusedOperators& runtime, std::initializer_list<Fusion> all) {
  std::vector<RuleView> rules;
  for (const Fusion& fusion : all)
    if (is_wanted(runtime, fusion.op)) rules.push_back(fusion.rule);
  if (rules.empty()) return pass(std::move(name), [](Graph&, Context&) { return Report(); }).preserves_all();
  return around(on_typed_graph(name, fixpoint(std::move(rules))),
                [](const Pass& inner, Graph& graph, Context& context) {
                  forget_unknown_extents(graph);
                  return inner.run(graph, context);
                })
      .named(std::move(name));
}

}  // namespace graft::inline v1::detail
