#pragma once
#include <algorithm>
#include <vector>

#include <graft/graph/infer.hpp>
#include <graft/pattern/match.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/layer_normalization.hpp>
#include <graft/simplify/merge_common_subexpressions.hpp>
#include <graft/simplify/raise_opset.hpp>

namespace graft::inline v1 {

namespace detail::simplification {

inline constexpr auto spelt_out_normalization = query<"normalization">(normalization_form, is_layer_normalization);

}  // namespace detail::simplification

/// The pass that makes a LayerNormalization of each layer normalization that is written in several operators, in
/// bodies too, and raises the model to opset 17, which has it, where there is one. What is computed twice is merged
/// before: exporters subtract the mean twice. After inline_functions(), since local functions are not raised, and
/// before simplify(): that takes factors of 1 away, by which this pass and runtimes know a normalization.
inline Pass name_normalizations() {
  return pass("name_normalizations", [](Graph& graph, Context& context) {
    Report report;
    report.add(merge_common_subexpressions().run(graph, context));
    infer_shapes(graph, {.custom = context.shape_functions});
    const std::vector<Graph*> scopes = scopes_of(graph);
    const bool is_spelt_out = std::any_of(scopes.begin(), scopes.end(), [](Graph* scope) {
      return !find_all(detail::simplification::spelt_out_normalization, *scope).empty();
    });
    if (is_spelt_out) report.add((raise_opset(17) | fixpoint(layer_normalization)).run(graph, context));
    return report;
  });
}

}  // namespace graft::inline v1
