#pragma once
#include <graft/quantize/place/choose_every_dynamic.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/target/dynamic_products.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass choose_every_dynamic(const Target& target) {
  const auto run = [target](Graph& graph, Context& context) {
    DynamicProducts products;
    Report report;
    for (const detail::DynamicInput& input : detail::dynamic_inputs(graph, target, KeptInFloat::of(context.facts))) {
      if (!(input.gain(target) > 0)) continue;
      for (Node* const reader : input.readers)
        if (detail::product_gain(*reader, target) > 0)
          report.changes += products.add(*reader, "every product is that gains over float");
    }
    context.facts.provide(std::move(products));
    return report;
  };
  return pass("choose_every_dynamic", run).provides<DynamicProducts>().preserves_all();
}

}  // namespace graft::inline v1
