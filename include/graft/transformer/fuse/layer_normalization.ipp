#pragma once
#include <graft/transformer/fuse/layer_normalization.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/match.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/query.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/fuse/normalization_operands.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto is_bare_standardized =
    where(predicate<is_at_most_single>("LayerNormalization would compute in f32")(x),
          predicate<is_bare_normalization>("")(x, axes));

inline constexpr auto bare_layer_normalization =
    rule<"bare-layer-normalization">(standardized(), is_bare_standardized,
                                     op<"LayerNormalization">(x, tensor<ones_over>(x, axes))
                                         .with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto average = node<"average">;
inline constexpr auto slopes = node<"slopes">;

inline constexpr auto centred = op<"Sub">(x, mean_of(x).as(average).shared()).as(d);

inline constexpr auto sloped = comm<"Mul">(
    inverse_root_of(comm<"Add">(mean_of(either(op<"Pow">(centred, two), op<"Mul">(centred, d.out(0)))), tiny)), scale);

inline constexpr auto folded_form =
    comm<"Add">(comm<"Mul">(x, sloped.as(slopes)), op<"Sub">(bias, comm<"Mul">(average.out(0), slopes.out(0))));

inline constexpr auto folded_layer_normalization = rule<"folded-layer-normalization">(
    folded_form, is_layer_normalization,
    op<"LayerNormalization">(x, scale, bias).with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto folded_normalization = query<"folded-normalization">(folded_form, is_layer_normalization);

inline constexpr auto bare_normalization = query<"bare-normalization">(standardized(), is_bare_standardized);

}  // namespace rules

namespace detail {

/// Raises the opset if a normalization is written in primitives in any scope.
inline Report raise_for_layer_normalization(Graph& graph, Context& context) {
  Report report;
  if (graph.model().opset() >= 17) return report;
  infer_shapes(graph, context.infer_options());
  const std::vector<Graph*> scopes = scopes_of(graph);
  const bool is_spelt_out = std::any_of(scopes.begin(), scopes.end(), [](Graph* scope) {
    return !find_all(rules::bare_normalization, *scope).empty() ||
           !find_all(rules::folded_normalization, *scope).empty();
  });
  if (!is_spelt_out) return report;
  try {
    return raise_opset(17).run(graph, context);
  } catch (const Error& error) {
    report.notes.push_back(std::string("made no LayerNormalization: ") + error.what());
  }
  return report;
}

}  // namespace detail

GRAFT_INLINE constinit const RuleView bare_layer_normalization = rules::bare_layer_normalization.view();

GRAFT_INLINE constinit const RuleView folded_layer_normalization = rules::folded_layer_normalization.view();

GRAFT_INLINE Pass fuse_layer_normalizations(const FusedOperators& runtime) {
  const Pass fuse = detail::fusions("layer_normalizations", runtime,
                                    {{"LayerNormalization", layer_normalization},
                                     {"LayerNormalization", folded_layer_normalization},
                                     {"LayerNormalization", bare_layer_normalization},
                                     {"LayerNormalization", scale_into_normalization},
                                     {"LayerNormalization", bias_into_layer_normalization},
                                     {"LayerNormalization", narrow_normalization}});
  const bool is_made = detail::is_wanted(runtime, "LayerNormalization");
  return pass("fuse_layer_normalizations",
              [fuse, is_made](Graph& graph, Context& context) {
                Report report;
                if (!is_made) return report;
                report.add(detail::raise_for_layer_normalization(graph, context));
                report.add(fuse.run(graph, context));
                return report;
              })
      .preserves_all();
}

namespace rules {

inline constexpr auto bare_simplified_layer_normalization = rule<"bare-simplified-layer-normalization">(
    over_root_mean_square(), where(is_short, predicate<is_bare_normalization>("")(x, axes)),
    op<"SimplifiedLayerNormalization">(x, tensor<ones_over>(x, axes))
        .with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto bare_rms_normalization =
    rule<"bare-rms-normalization">(over_root_mean_square(),
                                   where(predicate<is_at_most_single>("RMSNormalization would compute in f32")(x),
                                         predicate<is_bare_normalization>("")(x, axes)),
                                   op<"RMSNormalization">(x, tensor<ones_over>(x, axes))
                                       .with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto rms_to_simplified_layer_normalization = rule<"rms-to-simplified-layer-normalization">(
    op<"RMSNormalization">(x, y).with(first_axis, epsilon), where(is_short),
    op<"SimplifiedLayerNormalization">(x, y).with(first_axis, epsilon));

}  // namespace rules

GRAFT_INLINE constinit const RuleView bare_simplified_layer_normalization =
    rules::bare_simplified_layer_normalization.view();

GRAFT_INLINE constinit const RuleView bare_rms_normalization = rules::bare_rms_normalization.view();

GRAFT_INLINE constinit const RuleView rms_to_simplified_layer_normalization =
    rules::rms_to_simplified_layer_normalization.view();

GRAFT_INLINE Pass fuse_simplified_layer_normalizations(const FusedOperators& runtime) {
  constexpr std::string_view simplified = "SimplifiedLayerNormalization", rms = "RMSNormalization";
  const std::string_view made = detail::is_wanted(runtime, simplified) ? simplified : rms;
  return detail::fusions("fuse_simplified_layer_normalizations", runtime,
                         {{simplified, bare_simplified_layer_normalization},
                          {simplified, rms_to_simplified_layer_normalization},
                          {rms, bare_rms_normalization},
                          {made, scale_into_normalization},
                          {made, narrow_normalization}});
}

}  // namespace graft::inline v1
