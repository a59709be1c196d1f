#pragma once
#include <graft/quantize/prepare/name_normalizations.hpp>

#include <algorithm>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/match.hpp>
#include <graft/pattern/query.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/common_subexpressions.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/surgery/raise_opset.hpp>

namespace graft::inline v1 {

namespace rules {

inline constexpr auto spelt_out_normalization = query<"normalization">(normalization_form(), is_layer_normalization);

}  // namespace rules

GRAFT_INLINE Pass name_normalizations() {
  return pass("name_normalizations",
              [](Graph& graph, Context& context) {
                Report report;
                report.add(eliminate_common_subexpressions().run(graph, context));
                infer_shapes(graph, context.infer_options());
                const std::vector<Graph*> scopes = scopes_of(graph);
                const bool is_spelt_out = std::any_of(scopes.begin(), scopes.end(), [](Graph* scope) {
                  return !find_all(rules::spelt_out_normalization, *scope).empty();
                });
                if (is_spelt_out) report.add((raise_opset(17) | fixpoint(layer_normalization)).run(graph, context));
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
