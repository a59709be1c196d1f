#pragma once
#include <graft/quantize/dynamic/quantize_dynamic.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/dynamic/detail/dynamic_quantizer.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass quantize_dynamic(const Target& target, DynamicOptions options) {
  if (options.weight_dtype != DType::i8 && options.weight_dtype != DType::u8)
    throw Error("weights must be int8 or uint8").field("weight_dtype");
  return pass("quantize_dynamic",
              [target, options = std::move(options)](Graph& graph, Context& context) {
                const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
                const auto* const chosen = context.facts.find<ProductForms>();
                Report report = detail::DynamicQuantizer(target, options, kept, chosen).run(graph, context.facts);
                context.facts.edit_or_provide<IntegerCounts>().products = report.changes;
                if (options.tables) {
                  const Pass tables = quantize_embeddings(options.weights.for_tables(), target, *options.tables);
                  report.add(tables.run(graph, context));
                }
                return report;
              })
      .needs(needs_opset(11))  // the first with DynamicQuantizeLinear
      .provides<FloatOutcomes>()
      .provides<IntegerCounts>()
      .preserves_all();
}

}  // namespace graft::inline v1
