#pragma once
#include <graft/lower/pow_reduce_sum_to_lp_norm.hpp>

#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/lower/detail/l2_norm.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/gelu.hpp>
#include <graft/simplify/fuse/layer_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool is_one_axis(const Ints& over) { return over.size() == 1; }
inline std::int64_t only_axis(const Ints& over) { return over[0]; }

inline constexpr auto sum_of_squares =
    op<"ReduceSum">(either(op<"Pow">(x, two), op<"Mul">(x, x))).with(axes, keepdims == 1);

inline constexpr auto pow_reduce_sum_to_lp_norm =
    rule<"pow-reduce-sum-to-lp-norm">(op<"Div">(x, either(op<"Pow">(sum_of_squares, half), op<"Sqrt">(sum_of_squares))),
                                      where(predicate<is_one_axis>("the sum is over several axes")(axes)),
                                      op<"LpNormalization">(x).with(norm_axis = call<only_axis>(axes), norm_order = 2))
        .changes_values("rows of zeros give 0 instead of NaN");

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView pow_reduce_sum_to_lp_norm = vocabulary::pow_reduce_sum_to_lp_norm.view();

GRAFT_INLINE Pass pow_reduce_sums_to_lp_norms() {
  return on_typed_graph("pow_reduce_sums_to_lp_norms", sweep(pow_reduce_sum_to_lp_norm));
}

}  // namespace graft::inline v1
