#pragma once
#include <graft/lower/four_d/reduction.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/sums_of_parts.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_reduce_sum() {
  return detail::surgery_of_nodes("four_d_reduce_sum", {"ReduceSum"}, [](const detail::Surgery& at) {
    const std::optional<Ints> axes = at.given("axes");
    const bool is_empty = at.is_absent("axes") || (axes && axes->empty());
    if (is_empty && at.node.attr<std::int64_t>("noop_with_empty_axes").value_or(0) != 0)
      return Verdict::no("it sums over nothing");
    const bool moves = axes == Ints{1}, drops = at.node.attr<std::int64_t>("keepdims").value_or(1) == 0;
    if (!moves && !drops) return Verdict::no("it keeps its axes already, and does not sum over axis 1");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    if (moves) at.give("axes", {2});
    if (drops) at.rewriter.set_attribute(at.node, {"keepdims", 1});
    return Verdict::yes();
  });
}

namespace detail {

inline bool is_made_a_row(const Value& maxima, std::int64_t count) {
  if (!maxima.has_one_use() || maxima.is_graph_output()) return false;
  const Node& user = maxima.users().front();
  if (!user.is("Reshape") || user.input(1) == nullptr) return false;
  const std::optional<Tensor> shape = user.input(1)->constant();
  return shape && shape->to<std::int64_t>() == Ints{1, 1, 1, count};
}

}  // namespace detail

GRAFT_INLINE Pass reduce_max_to_row(std::int64_t count) {
  return detail::surgery_of_nodes("reduce_max_to_row", {"ReduceMax"}, [count](const detail::Surgery& at) {
    const std::optional<Ints> axes = at.given("axes");
    if (axes != Ints{3} && axes != Ints{-1}) return Verdict::no("it does not go along the last axis of rank 4 alone");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    const Shape data = at.shape(0);
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis < 3 && rows >= 0; ++axis)
      rows = data.known() && data[axis].known() ? rows * data[axis].value() : -1;
    if (rows >= 0 && rows != count)
      return Verdict::no(Reason{
          "it has {} maxima, and {} are wanted", "count", {static_cast<double>(rows), static_cast<double>(count)}, 2});
    Value& maxima = *at.node.output(0);
    if (detail::is_made_a_row(maxima, count)) return Verdict::no("a Reshape makes a row of it already");
    Value& kept = at.op_with("ReduceMax", *at.node.input(0), {{"axes", {3}}}, {{"keepdims", 1}}, "max");
    return at.rewriter.replace(maxima, at.op_with("Reshape", kept, {{"shape", {1, 1, 1, count}}}, {}, "reshape"));
  });
}

GRAFT_INLINE Pass reshape_reduce_sum_to_slices(std::size_t most) {
  return detail::sums_of_parts("reshape_reduce_sum_to_slices", most, false);
}

GRAFT_INLINE Pass reshape_clip_reduce_sum_to_slices(std::size_t most) {
  return detail::sums_of_parts("reshape_clip_reduce_sum_to_slices", most, true);
}

GRAFT_INLINE Pass four_d_lp_normalization() {
  return detail::surgery_of_nodes("four_d_lp_normalization", {"LpNormalization"}, [](const detail::Surgery& at) {
    if (at.node.attribute("axis") == nullptr || at.node.attr<std::int64_t>("axis") == -1)
      return Verdict::no("it goes along the last axis already");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    at.rewriter.set_attribute(at.node, {"axis", -1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
