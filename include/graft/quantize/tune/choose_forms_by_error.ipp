#pragma once
#include <graft/quantize/tune/choose_forms_by_error.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/detail/form_candidates.hpp>
#include <graft/quantize/tune/detail/rounding_errors.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass choose_forms_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor) {
  const auto run = [target, samples = std::move(samples), make_executor = std::move(make_executor)](Graph& graph,
                                                                                                 Context& context) {
    Report report;
    ProductForms forms = context.facts.value_or_default<ProductForms>();
    const detail::FormCandidates candidates(graph, target, forms, context);
    const ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    const detail::PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
    std::vector<QParams> by_range;
    Fetches fetches;
    for (const Value* const x : candidates.inputs) {
      by_range.push_back(qparams.of(*x));
      fetches.emplace_back(x);
    }
    std::vector<detail::RoundingErrors> errors(fetches.size());
    if (!fetches.empty()) {
      AnyExecutor executor = make_executor(graph);
      const auto observe = [&](std::size_t, const Sample& sample) {
        executor.observe(detail::by_name(sample.feeds), fetches,
                         [&](std::size_t i, const Tensor& tensor) { errors[i].add(tensor, by_range[i]); });
        return true;
      };
      detail::for_first(samples, std::numeric_limits<std::size_t>::max(), context, observe);
    }
    for (const auto& [node, input] : candidates.products) {
      const ProductForm form =
          errors[input].finest(candidates.dynamic.contains(node), candidates.weight_only.contains(node));
      if (form == ProductForm::fixed) continue;
      report.changes += forms.choose(*node, form,
                                     form == ProductForm::dynamic
                                         ? "its input is rounded much less as the model runs"
                                         : "its input is rounded much less with a scale for each block");
    }
    context.facts.provide(std::move(forms));
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report;
  };
  return pass("choose_forms_by_error", run).needs<Ranges>().provides<ProductForms>().preserves_all();
}

}  // namespace graft::inline v1
