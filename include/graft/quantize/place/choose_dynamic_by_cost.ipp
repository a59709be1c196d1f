#pragma once
#include <graft/quantize/place/choose_dynamic_by_cost.hpp>

#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/detail/least_cost.hpp>
#include <graft/quantize/target/dynamic_products.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass choose_dynamic_by_cost(const Target& target) {
  const auto run = [target](Graph& graph, Context& context) {
    infer_shapes(graph, {.custom = context.shape_functions});
    const KeptInFloat kept = KeptInFloat::of(context.facts);
    const ActivationDTypes dtypes = ActivationDTypes::of(context.facts);
    const detail::PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
    const detail::Units found = detail::find_units(graph, qparams, target, kept);
    const std::vector<detail::DynamicInput> inputs = detail::dynamic_inputs(graph, target, kept);
    DynamicProducts products;
    Report report;
    for (Node* const node : detail::LeastCost(found.units, dtypes, target, inputs).dynamic())
      report.changes += products.add(*node, "quantizing its input as the model runs takes least time");
    context.facts.provide(std::move(products));
    return report;
  };
  return pass("choose_dynamic_by_cost", run).needs<Ranges>().provides<DynamicProducts>().preserves_all();
}

}  // namespace graft::inline v1
