#pragma once
#include <graft/simplify/simplify.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/simplify/common_subexpressions.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/simplify/matmul.hpp>
#include <graft/simplify/rules.hpp>
#include <graft/vocabulary/channel_front.hpp>

namespace graft::inline v1 {

namespace detail {

/// Repeats until nothing changes. A round omits the rules if nothing was edited after them.
inline Report simplify_fully(const Pass& before, const Pass& rules, const Pass& after, Graph& graph, Context& context) {
  std::optional<std::uint64_t> settled;
  const Pass if_edited = around(rules, [&settled](const Pass& inner, Graph& edited, Context& shared) {
    if (settled == edited.model().edit_count()) return Report();
    Report report = inner.run(edited, shared);
    if (report.converged()) settled = edited.model().edit_count();
    return report;
  });
  return fixpoint(before | if_edited | after).run(graph, context);
}

/// Folds large results last, because rules may remove their readers before.
inline Report simplify_then_fold(const Pass& simplified, const Pass& fold, Graph& graph, Context& context) {
  const auto left_large = [&context] {
    const FoldedConstants* const folded = context.facts.find<FoldedConstants>();
    return folded != nullptr && folded->left_large;
  };
  Report report = simplified.run(graph, context);
  while (report.converged() && left_large()) {
    report.add(fold.run(graph, context));
    if (report.steps.back().changes == 0) break;
    report.add(simplified.run(graph, context));
  }
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass simplify(SimplifyOptions options) {
  std::vector<RuleView> rules = shrinking_rules();
  if (options.gemm_of_batches) rules.push_back(batched_matmul_add_to_gemm);
  FoldOptions first_fold = options.fold;
  first_fold.leaves_large = true;
  Pass before = fold_constants(first_fold) | eliminate_common_subexpressions();
  if (options.merge_matmuls) before |= pass("merge_matmuls", &detail::merge_all_matmuls).preserves_all();
  const NodeCondition condition = options.keep_weights_even
                                      ? [](const Node& root, const Context&) { return vocabulary::folds_evenly(root); }
                                      : NodeCondition();
  const Pass shrink = Pass(detail::RuleSet("fixpoint", std::move(rules), true, condition)).named("shrinking_rules"),
             after = eliminate_dead_code();
  const Pass simplified = pass("simplify", [before, shrink, after](Graph& graph, Context& context) {
                            return detail::simplify_fully(before, shrink, after, graph, context);
                          }).preserves_all();
  return pass("simplify",
              [simplified, fold = fold_constants(options.fold)](Graph& graph, Context& context) {
                return detail::simplify_then_fold(simplified, fold, graph, context);
              })
      .preserves_all();
}

}  // namespace graft::inline v1
