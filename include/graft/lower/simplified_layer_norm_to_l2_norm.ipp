#pragma once
#include <graft/lower/simplified_layer_norm_to_l2_norm.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/l2_norm.hpp>
#include <graft/lower/detail/skip_sum.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict is_norm_of_rows(const Value& input, const Tensor& weights, const Node& node, float least) {
  if (node.graph().opset() < 7) return Verdict::no("it needs opset 7");
  if (!is_last_axis(input, node.attr<std::int64_t>("axis").value_or(-1)))
    return Verdict::no("it does not normalize the last axis");
  if (!is_tiny(static_cast<double>(least))) return Verdict::no("epsilon is too large to be left out");
  if (input.dtype() != weights.dtype()) return Verdict::no("its weight is of another dtype");
  return has_root_weight(input, weights);
}

inline constexpr auto norm_of_rows = predicate<is_norm_of_rows>("");

inline constexpr auto simplified_layer_norm_to_l2_norm =
    rule<"simplified-layer-norm-to-l2-norm">(
        one_of<"SimplifiedLayerNormalization", "RMSNormalization">(x, w).with(axis, epsilon).as(outer),
        where(norm_of_rows(x, w, outer, epsilon)),
        op<"Mul">(op<"LpNormalization">(x).with(norm_axis = -1, norm_order = 2), tensor<root_weight>(x, w)))
        .changes_values("epsilon is left out");

inline constexpr auto skip_simplified_layer_norm_to_l2_norm =
    rule<"skip-simplified-layer-norm-to-l2-norm">(
        op<"com.microsoft::SkipSimplifiedLayerNormalization">(x, y, w, opt(addend)).with(epsilon).as(outer),
        where(norm_of_rows(x, w, outer, epsilon)),
        [](const auto& m, Rewriter& rewriter) {
          Value& sum = detail::skip_sum(rewriter, m[outer]);
          Value& rows = rewriter.op("LpNormalization", {&sum}, {{"axis", -1}, {"p", 2}});
          Value& weights = rewriter.constant(root_weight(m[x], *m[w].constant()), m[w].name());
          return detail::replace_skip(rewriter, m[outer], rewriter.op("Mul", {&rows, &weights}), sum);
        })
        .changes_values("epsilon is left out");

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView simplified_layer_norm_to_l2_norm =
    vocabulary::simplified_layer_norm_to_l2_norm.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_norm_to_l2_norm =
    vocabulary::skip_simplified_layer_norm_to_l2_norm.view();

GRAFT_INLINE Pass simplified_layer_norms_to_l2_norms() {
  return on_typed_graph("simplified_layer_norms_to_l2_norms",
                        sweep(simplified_layer_norm_to_l2_norm, skip_simplified_layer_norm_to_l2_norm));
}

}  // namespace graft::inline v1
