#pragma once
#include <graft/lower/rms_normalization.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/normalization.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/chain.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto standard_rms_norm = rule<"standard-rms-norm">(
    op<"SimplifiedLayerNormalization">(x, y).with(axis, epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      const Node& node = m[outer];
      std::vector<Value*> successors(node.output_count());
      if (node.graph().opset() >= 23) {
        const std::int64_t first = node.attr<std::int64_t>("axis").value_or(-1);
        successors[0] = &rewriter.op("RMSNormalization", {&m[x], &m[y]}, {{"axis", first}, {"epsilon", m[epsilon]}});
      } else {
        successors[0] = &detail::Normalization(rewriter, node, m[x].dtype(), m[x].shape().rank()).rms(m[x], m[y]);
      }
      return rewriter.replace(m[outer], successors);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView standard_rms_norm = rules::standard_rms_norm.view();

GRAFT_INLINE Pass standard_rms_norms() { return on_typed_graph("standard_rms_norms", sweep(standard_rms_norm)); }

namespace rules {

inline Verdict is_mean_of_rows(const Value& input, const Ints& over, const Tensor& epsilon_given) {
  if (over.size() != 1 || !is_last_axis(input, over[0])) return Verdict::no("the mean is not over the last axis");
  return is_tiny(epsilon_given.item<double>()) ? Verdict::yes() : Verdict::no("epsilon is too large to omit");
}

inline constexpr auto casts = node<"casts">;

inline constexpr auto rms_norm_to_l2_norm =
    rule<"rms-norm-to-l2-norm">(
        comm<"Mul">(chain(one_of<"Cast">, over_root_mean_square()).as(casts), w),
        where(predicate<is_mean_of_rows>("")(x, axes, tiny), predicate<has_root_weight>("")(x, w)),
        op<"Mul">(casts(op<"LpNormalization">(x).with(norm_axis = -1, norm_order = 2)), tensor<root_weight>(x, w)))
        .changes_values("epsilon is omitted");

}  // namespace rules

GRAFT_INLINE constinit const RuleView rms_norm_to_l2_norm = rules::rms_norm_to_l2_norm.view();

GRAFT_INLINE Pass rms_norms_to_l2_norms() {
  return on_typed_graph("rms_norms_to_l2_norms", sweep(rms_norm_to_l2_norm));
}

namespace detail {

/// x over the root of the mean of its squares, times the weight. `like` has the rank and dtype of x.
inline Value& rms_norm(Rewriter& rewriter, const Node& node, Value& x, const Value& like, Value& weight) {
  return Normalization(rewriter, node, like.dtype(), like.shape().rank()).rms(x, weight);
}

}  // namespace detail

namespace rules {

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

}  // namespace rules

GRAFT_INLINE constinit const RuleView simplified_layer_norm_to_rms_norm =
    rules::simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_norm_to_rms_norm =
    rules::skip_simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE Pass simplified_layer_norms_to_rms_norms() {
  return on_typed_graph("simplified_layer_norms_to_rms_norms",
                        sweep(simplified_layer_norm_to_rms_norm, skip_simplified_layer_norm_to_rms_norm));
}

namespace rules {

inline Verdict is_norm_of_rows(const Value& input, const Tensor& weights, const Node& node, float least) {
  if (node.graph().opset() < 7) return Verdict::no("it needs opset 7");
  if (!is_last_axis(input, node.attr<std::int64_t>("axis").value_or(-1)))
    return Verdict::no("it does not normalize the last axis");
  if (!is_tiny(static_cast<double>(least))) return Verdict::no("epsilon is too large to omit");
  if (input.dtype() != weights.dtype()) return Verdict::no("its weight has another dtype");
  return has_root_weight(input, weights);
}

inline constexpr auto norm_of_rows = predicate<is_norm_of_rows>("");

inline constexpr auto simplified_layer_norm_to_l2_norm =
    rule<"simplified-layer-norm-to-l2-norm">(
        one_of<"SimplifiedLayerNormalization", "RMSNormalization">(x, w).with(axis, epsilon).as(outer),
        where(norm_of_rows(x, w, outer, epsilon)),
        op<"Mul">(op<"LpNormalization">(x).with(norm_axis = -1, norm_order = 2), tensor<root_weight>(x, w)))
        .changes_values("epsilon is omitted");

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
        .changes_values("epsilon is omitted");

}  // namespace rules

GRAFT_INLINE constinit const RuleView simplified_layer_norm_to_l2_norm =
    rules::simplified_layer_norm_to_l2_norm.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_norm_to_l2_norm =
    rules::skip_simplified_layer_norm_to_l2_norm.view();

GRAFT_INLINE Pass simplified_layer_norms_to_l2_norms() {
  return on_typed_graph("simplified_layer_norms_to_l2_norms",
                        sweep(simplified_layer_norm_to_l2_norm, skip_simplified_layer_norm_to_l2_norm));
}

}  // namespace graft::inline v1
