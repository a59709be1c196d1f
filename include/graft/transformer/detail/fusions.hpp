#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/detail/extents.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1::detail {

/// A rule and the operator that it makes.
struct Fusion {
  std::string_view op;
  RuleView rule;
};

/// Whether graft has to make the operator: the runtime has a kernel, and does not fuse every spelling itself.
inline bool is_wanted(const FusedOperators& runtime, std::string_view op) {
  const FusedOperator* const found = runtime.find(op);
  return found != nullptr && found->at_load != AtLoad::fused;
}

/// A pass that infers types again before its rules, because earlier rewrites may make more types known.
inline Pass on_retyped_graph(const std::string& name, const Pass& rules) {
  return around(on_typed_graph(name, rules),
                [](const Pass& inner, Graph& graph, Context& context) {
                  forget_unknown_extents(graph);
                  return inner.run(graph, context);
                })
      .named(name);
}

/// Applies the rules with wanted operators, on a typed graph.
inline Pass fusions(std::string name, const FusedOperators& runtime, std::initializer_list<Fusion> all) {
  std::vector<RuleView> rules;
  for (const Fusion& fusion : all)
    if (is_wanted(runtime, fusion.op)) rules.push_back(fusion.rule);
  if (rules.empty()) return pass(std::move(name), [](Graph&, Context&) { return Report(); }).preserves_all();
  return on_retyped_graph(name, fixpoint(std::move(rules)));
}

}  // namespace graft::inline v1::detail
