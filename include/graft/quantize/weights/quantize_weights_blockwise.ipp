#pragma once
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/detail/product_groups.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/weights/detail/block_quantizer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

/// Checks the options, and completes them.
inline BlockwiseOptions checked(BlockwiseOptions options) {
  options.check();
  options.weights = block_form(options);
  return options;
}

/// Quantizes what the products leave: counts them, and quantizes the tables.
inline void finish_blocks(Graph& graph, Context& context, const Target& target, const BlockwiseOptions& options,
                          const KeptInFloat& kept, const BlockQuantizer& products, const ParallelFor& parallel,
                          Report& report) {
  context.facts.edit_or_provide<IntegerCounts>().products = report.changes;
  if (options.tables && options.operators == BlockOperators::standard) {
    report.add(quantize_embeddings(Granularity::per_channel, target, *options.tables).run(graph, context));
  } else if (options.tables) {
    Report tables = quantize_tables_blockwise(graph, target, options, kept, products, &parallel);
    context.facts.edit<IntegerCounts>()->tables = tables.changes;
    report.add(std::move(tables));
  }
}

/// The pass of both forms of quantize_weights_blockwise().
inline Pass blockwise_pass(const BlockwiseOptions& options, std::function<Report(Graph&, Context&)> run) {
  return pass("quantize_weights_blockwise", std::move(run))
      .needs(needs_opset(options.operators == BlockOperators::standard ? 21 : 1))
      .provides<FloatOutcomes>()
      .provides<IntegerCounts>()
      .preserves_all();
}

/// Quantizes products group by group, from the last to the first: what computes the inputs of earlier ones is still in
/// float. The others follow, those of the main graph first.
inline Report quantize_groups(Graph& graph, Context& context, BlockQuantizer& quantizer, const SampleSource& samples,
                              const BlockwiseLearning& learning) {
  const auto reads = [&](const Node& node, ConstantProduct& product) {
    BlockQuantizer::Form form;
    return quantizer.is_candidate(node) && quantizer.read(node, product, form);
  };
  const std::vector<ProductGroup> groups = product_groups(graph, reads, samples, learning, context.threads);
  std::unordered_set<const Node*> grouped;
  for (const ProductGroup& group : groups) grouped.insert(group.products.begin(), group.products.end());
  std::vector<Node*> others;
  const std::vector<Graph*> scopes = with_bodies(graph);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    for (Node& node : (*scope)->nodes())
      if (quantizer.is_candidate(node) && !grouped.contains(&node)) others.push_back(&node);
  Report made;
  const GroupLearning work{
      .learn = [&](const ProductGroup&, const Statistics<GramMatrix>& inputs) { quantizer.learn_from(&inputs); },
      .learned = [&](const ProductGroup& group) { return quantizer.round(group.products); },
      .take = [&](const std::string& other) { quantizer.take(other, graph); },
      .finish =
          [&](const ProductGroup& group) {
            quantizer.run(group.products, context.facts, made);
            quantizer.learn_from(nullptr);
          }};
  Report report = learn_by_groups(groups, graph, context, samples, learning, "quantize_weights_blockwise", work);
  if (report.outcome == Outcome::cancelled) return report;
  quantizer.run(others, context.facts, made);
  report.changes += made.changes;
  report.notes.insert(report.notes.end(), made.notes.begin(), made.notes.end());
  return report;
}

GRAFT_INLINE std::vector<StoredForm> forms_within_budget(const Node& node, const ConstantProduct& product,
                                                         const Target& target, const BlockwiseOptions& options,
                                                         const KeptInFloat& kept) {
  return BlockQuantizer(target, options, kept, nullptr, nullptr, nullptr).forms(node, product);
}

}  // namespace detail

GRAFT_INLINE void BlockwiseOptions::check() const {
  weights.check();
  if (operators == BlockOperators::contrib) return;
  if (accuracy_level) throw Error("is of MatMulNBits; standard operators have none").field("accuracy_level");
  if (table_bits) throw Error("is 8 with standard operators").field("table_bits");
}

GRAFT_INLINE Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions given) {
  const BlockwiseOptions options = detail::checked(std::move(given));
  Pass result = detail::blockwise_pass(options, [target, options](Graph& graph, Context& context) {
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    ThreadPool threads(static_cast<int>(context.threads));
    const ParallelFor parallel = std::ref(threads);
    detail::BlockQuantizer quantizer(target, options, kept, context.facts.find<ProductForms>(),
                                     context.facts.find<Statistics<GramMatrix>>(), &parallel);
    Report report = quantizer.run(graph, context.facts);
    detail::finish_blocks(graph, context, target, options, kept, quantizer, parallel, report);
    return report;
  });
  return options.method == BlockMethod::gptq ? result.needs<Statistics<GramMatrix>>() : result;
}

GRAFT_INLINE Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions given, SampleSource samples,
                                             BlockwiseLearning learning) {
  const BlockwiseOptions options = detail::checked(std::move(given));
  return detail::blockwise_pass(options, [target, options, samples = std::move(samples),
                                          learning = std::move(learning)](Graph& graph, Context& context) {
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    ThreadPool threads(static_cast<int>(context.threads));
    const ParallelFor parallel = std::ref(threads);
    detail::BlockQuantizer quantizer(target, options, kept, context.facts.find<ProductForms>(), nullptr, &parallel);
    Transaction transaction(graph);
    Report report = detail::quantize_groups(graph, context, quantizer, samples, learning);
    if (report.outcome == Outcome::cancelled) return report;
    detail::finish_blocks(graph, context, target, options, kept, quantizer, parallel, report);
    transaction.keep();
    return report;
  });
}

}  // namespace graft::inline v1
