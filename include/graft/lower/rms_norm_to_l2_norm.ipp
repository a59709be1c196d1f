#pragma once
#include <graft/lower/rms_norm_to_l2_norm.hpp>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/l2_norm.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/chain.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict is_mean_of_rows(const Value& input, const Ints& over, const Tensor& epsilon_given) {
  if (over.size() != 1 || !is_last_axis(input, over[0])) return Verdict::no("the mean is not over the last axis");
  return is_tiny(epsilon_given.item<double>()) ? Verdict::yes() : Verdict::no("epsilon is too large to be left out");
}

inline constexpr auto casts = node<"casts">;

inline constexpr auto rms_norm_to_l2_norm =
    rule<"rms-norm-to-l2-norm">(
        comm<"Mul">(chain(one_of<"Cast">, over_root_mean_square).as(casts), w),
        where(predicate<is_mean_of_rows>("")(x, axes, tiny), predicate<has_root_weight>("")(x, w)),
        op<"Mul">(casts(op<"LpNormalization">(x).with(norm_axis = -1, norm_order = 2)), tensor<root_weight>(x, w)))
        .changes_values("epsilon is left out");

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView rms_norm_to_l2_norm = vocabulary::rms_norm_to_l2_norm.view();

GRAFT_INLINE Pass rms_norms_to_l2_norms() {
  return on_typed_graph("rms_norms_to_l2_norms", sweep(rms_norm_to_l2_norm));
}

}  // namespace graft::inline v1
