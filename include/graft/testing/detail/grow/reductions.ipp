#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that reduce many elements to one.

namespace graft::inline v1::detail {

inline void make_reduction(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const std::size_t rank = NodeMaker::rank(x);
  Ints axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (node.dice().one_in(3)) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.empty() || node.dice().one_in(2)) axes = {static_cast<std::int64_t>(rank) - 1};
  if (node.version() >= 11 && node.dice().one_in(2))
    for (std::int64_t& axis : axes) axis -= static_cast<std::int64_t>(rank);
  if (!node.is_free || !node.dice().one_in(8)) node.list("axes", axes);
  node.may("keepdims", 0);
  node.may("noop_with_empty_axes", 1, 8);
}

inline void make_arg(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1, .exact = true});
  const std::size_t rank = NodeMaker::rank(x), axis = node.dice().below(rank);
  node.set("axis", node.version() < 11 ? static_cast<std::int64_t>(axis) : node.either_sign(axis, rank));
  node.may("keepdims", 0);
  node.may("select_last_index", 1, 4);
}

inline void make_along_axis(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const std::size_t rank = NodeMaker::rank(x), axis = node.dice().one_in(2) ? rank - 1 : node.dice().below(rank);
  node.set("axis", node.version() < 11 ? static_cast<std::int64_t>(axis) : node.either_sign(axis, rank));
  if (node.is("LpNormalization")) node.may("p", node.dice().any_of({1, 2}));
}

inline void make_cum_sum(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  node.constant(1, Tensor::scalar<std::int64_t>(node.any_axis(x)));
  node.may("exclusive", 1);
  node.may("reverse", 1);
}

GRAFT_INLINE std::span<const Recipe> reduction_recipes() {
  static constexpr Recipe all[] = {
      {"ReduceL1|ReduceL2|ReduceLogSum|ReduceLogSumExp|ReduceMax|ReduceMean|ReduceMin|ReduceProd|ReduceSum|"
       "ReduceSumSquare",
       make_reduction},
      {"ArgMax|ArgMin", make_arg},
      {"Softmax|LogSoftmax|LpNormalization", make_along_axis},
      {"CumSum", make_cum_sum}};
  return all;
}

}  // namespace graft::inline v1::detail
