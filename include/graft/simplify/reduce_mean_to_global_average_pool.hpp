#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  ReduceMean(x, axes) {keepdims}
// After:   GlobalAveragePool(x)                        keepdims is 1
//          Flatten(GlobalAveragePool(x)) {axis=1}      keepdims is 0
//
// x is f32 or f16, of known rank, 4 or 5, which runtimes have pools for; axes are all but the first two, in any order
// and from either end.
// Over the last of 3 axes it may be the mean of a layer normalization, which runtimes find by its ReduceMean.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto pooled = x.dtype(DType::f32, DType::f16);
inline constexpr auto keeps_dims = attr<"keepdims", std::int64_t>;

inline bool are_spatial(const Value& input, const Ints& along) {
  const Shape whole = input.shape();
  if (!whole.known() || whole.rank() < 4 || whole.rank() > 5 || along.size() != whole.rank() - 2) return false;
  for (std::size_t i = 2; i < whole.rank(); ++i)
    if (std::find(along.begin(), along.end(), static_cast<std::int64_t>(i)) == along.end()) return false;
  return true;
}
inline constexpr auto over_space = predicate<are_spatial>("it is not over all axes behind the second, and those only");

inline constexpr auto reduce_mean_to_global_average_pool =
    rule<"reduce-mean-to-global-average-pool">(op<"ReduceMean">(pooled).with(axes, keeps_dims == 1),
                                               where(over_space(x, axes)), op<"GlobalAveragePool">(x));

inline constexpr auto reduce_mean_to_flat_average = rule<"reduce-mean-to-flat-average">(
    op<"ReduceMean">(pooled).with(axes, keeps_dims == 0), where(over_space(x, axes)),
    op<"Flatten">(op<"GlobalAveragePool">(x)));

}  // namespace detail::simplification

using detail::simplification::reduce_mean_to_flat_average;
using detail::simplification::reduce_mean_to_global_average_pool;

}  // namespace graft::inline v1
