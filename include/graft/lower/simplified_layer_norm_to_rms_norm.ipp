#pragma once
#include <graft/lower/simplified_layer_norm_to_rms_norm.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/normalization.hpp>
#include <graft/lower/detail/skip_sum.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// x over the root of the mean of its squares, times the weight. `like`: what has the rank and dtype of x.
inline Value& rms_norm(Rewriter& rewriter, const Node& node, Value& x, const Value& like, Value& weight) {
  return Normalization(rewriter, node, like.dtype(), like.shape().rank()).rms(x, weight);
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto simplified_layer_norm_to_rms_norm = rule<"simplified-layer-norm-to-rms-norm">(
    one_of<"SimplifiedLayerNormalization", "RMSNormalization">(x, y).with(axis, epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      std::vector<Value*> successors(m[outer].output_count());
      successors[0] = &detail::rms_norm(rewriter, m[outer], m[x], m[x], m[y]);
      return rewriter.replace(m[outer], successors);
    });

inline constexpr auto skip_simplified_layer_norm_to_rms_norm = rule<"skip-simplified-layer-norm-to-rms-norm">(
    op<"com.microsoft::SkipSimplifiedLayerNormalization">(x, any, y, opt(addend)).with(epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      Value& sum = detail::skip_sum(rewriter, m[outer]);
      return detail::replace_skip(rewriter, m[outer], detail::rms_norm(rewriter, m[outer], sum, m[x], m[y]), sum);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView simplified_layer_norm_to_rms_norm =
    vocabulary::simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_norm_to_rms_norm =
    vocabulary::skip_simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE Pass simplified_layer_norms_to_rms_norms() {
  return on_typed_graph("simplified_layer_norms_to_rms_norms",
                        sweep(simplified_layer_norm_to_rms_norm, skip_simplified_layer_norm_to_rms_norm));
}

}  // namespace graft::inline v1
