#pragma once
#include <graft/lower/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/lower/detail/normalization.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto pooled = x.dtype(DType::f32, DType::f16);

inline bool are_spatial(const Value& input, const Ints& along) {
  const Shape whole = input.shape();
  if (!whole.known() || whole.rank() < 4 || whole.rank() > 5 || along.size() != whole.rank() - 2) return false;
  for (std::size_t i = 2; i < whole.rank(); ++i)
    if (std::find(along.begin(), along.end(), static_cast<std::int64_t>(i)) == along.end()) return false;
  return true;
}

inline constexpr auto over_space = predicate<are_spatial>("its axes are not all axes after the second");

inline constexpr auto reduce_mean_to_global_average_pool = rule<"reduce-mean-to-global-average-pool">(
    op<"ReduceMean">(pooled).with(axes, keepdims == 1), where(over_space(x, axes)), op<"GlobalAveragePool">(x));

inline constexpr auto reduce_mean_to_flat_average =
    rule<"reduce-mean-to-flat-average">(op<"ReduceMean">(pooled).with(axes, keepdims == 0), where(over_space(x, axes)),
                                        op<"Flatten">(op<"GlobalAveragePool">(x)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView reduce_mean_to_flat_average = rules::reduce_mean_to_flat_average.view();

GRAFT_INLINE constinit const RuleView reduce_mean_to_global_average_pool =
    rules::reduce_mean_to_global_average_pool.view();

namespace rules {

inline bool is_one_axis(const Ints& over) { return over.size() == 1; }
inline std::int64_t only_axis(const Ints& over) { return over[0]; }

inline constexpr auto sum_of_squares =
    op<"ReduceSum">(either(op<"Pow">(x, two), op<"Mul">(x, x))).with(axes, keepdims == 1);

inline constexpr auto pow_reduce_sum_to_lp_norm =
    rule<"pow-reduce-sum-to-lp-norm">(op<"Div">(x, either(op<"Pow">(sum_of_squares, half), op<"Sqrt">(sum_of_squares))),
                                      where(predicate<is_one_axis>("the sum is over several axes")(axes)),
                                      op<"LpNormalization">(x).with(norm_axis = call<only_axis>(axes), norm_order = 2))
        .changes_values("rows of zeros give 0 instead of NaN");

}  // namespace rules

GRAFT_INLINE constinit const RuleView pow_reduce_sum_to_lp_norm = rules::pow_reduce_sum_to_lp_norm.view();

GRAFT_INLINE Pass pow_reduce_sums_to_lp_norms() {
  return on_typed_graph("pow_reduce_sums_to_lp_norms", sweep(pow_reduce_sum_to_lp_norm));
}

}  // namespace graft::inline v1
