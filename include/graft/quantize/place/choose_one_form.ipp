#pragma once
#include <graft/quantize/place/choose_one_form.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass choose_one_form(const Target& target, ProductForm form) {
  detail::refuse_placed_form(form);
  const auto run = [target, form](Graph& graph, Context& context) {
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    const detail::TypicalSizes sizes(graph, context);
    ProductForms forms;
    const auto choose = [&](Node& node) { forms.choose(node, form, "all products that gain by it over float are"); };
    if (form == ProductForm::weight_only) {
      for (const detail::BlockProduct& product :
           detail::block_products(graph, target, kept, ProductForms::usual_bits))
        choose(*product.node);
    } else {
      for (const detail::DynamicInput& input : detail::dynamic_inputs(graph, target, kept)) {
        if (!(input.gain(target) > 0)) continue;
        for (Node* const reader : input.readers)
          if (detail::product_gain(*reader, target) > 0) choose(*reader);
      }
    }
    Report report;
    report.changes = forms.size();
    context.facts.provide(std::move(forms));
    return report;
  };
  return pass("choose_one_form", run).provides<ProductForms>().preserves_all();
}

}  // namespace graft::inline v1
