#pragma once
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

#include <functional>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/weights/detail/block_quantizer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions options) {
  options.weights.check();
  const bool is_standard = options.operators == BlockOperators::standard;
  if (is_standard) options.weights.positive_scales = true;
  const bool learns = options.method == BlockMethod::gptq;
  Pass result = pass("quantize_weights_blockwise",
                     [target, options = std::move(options)](Graph& graph, Context& context) {
                       const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
                       const auto* const inputs = context.facts.find<Statistics<GramMatrix>>();
                       const auto* const chosen = context.facts.find<ProductForms>();
                       ThreadPool threads(static_cast<int>(context.threads));
                       const ParallelFor parallel = std::ref(threads);
                       Report report = detail::BlockQuantizer(target, options, kept, chosen, inputs, &parallel)
                                           .run(graph, context.facts);
                       context.facts.edit_or_provide<IntegerCounts>().products = report.changes;
                       if (options.tables && options.operators == BlockOperators::standard) {
                         const Pass tables = quantize_embeddings(Granularity::per_channel, target, *options.tables);
                         report.add(tables.run(graph, context));
                       } else if (options.tables) {
                         Report tables = detail::quantize_tables_blockwise(graph, target, options, kept, &parallel);
                         context.facts.edit<IntegerCounts>()->tables = tables.changes;
                         report.add(std::move(tables));
                       }
                       return report;
                     })
                    .needs(needs_opset(is_standard ? 21 : 1))
                    .provides<FloatOutcomes>()
                    .provides<IntegerCounts>()
                    .preserves_all();
  return learns ? result.needs<Statistics<GramMatrix>>() : result;
}

}  // namespace graft::inline v1
