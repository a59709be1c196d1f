#pragma once
#include <graft/quantize/place/choose_forms_by_cost.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/detail/least_cost.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass choose_forms_by_cost(const Target& target, int weight_bits) {
  const auto run = [target, weight_bits](Graph& graph, Context& context) {
    infer_shapes(graph, context.infer_options());
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    const ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    const detail::PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
    const detail::Units found = detail::find_units(graph, qparams, target, kept);
    const detail::TypicalSizes sizes(graph, context);
    detail::LeastCost costs(found.units, dtypes, target, detail::dynamic_inputs(graph, target, kept),
                            detail::block_products(graph, target, kept, weight_bits));
    ProductForms forms;
    for (Node* const node : costs.dynamic())
      forms.choose(*node, ProductForm::dynamic, "quantizing its input as the model runs takes least time");
    for (Node* const node : costs.weight_only())
      forms.choose(*node, ProductForm::weight_only, "its input in float takes least time", weight_bits);
    Report report;
    report.changes = forms.size();
    context.facts.provide(std::move(forms));
    return report;
  };
  return pass("choose_forms_by_cost", run).needs<Ranges>().provides<ProductForms>().preserves_all();
}

}  // namespace graft::inline v1
