#pragma once
#include <graft/lower/four_d/reduction.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {
namespace detail {

/// Replaces a ReduceSum over a part of the last axis, which a Reshape splits, by sums of slices. clips: with a Clip
/// between.
Pass sums_of_parts(std::string name, std::size_t most, bool clips);

/// The producer of the node's input, if it is that operator and has no other reader; else nullptr.
inline Node* made_for_it(const Node& node, std::string_view op_type) {
  const Value* const value = node.input(0);
  if (value == nullptr || !value->has_one_use() || value->is_graph_output()) return nullptr;
  return made_by(*value, op_type, 0);
}

inline Verdict sum_parts(const Surgery& at, std::int64_t most, bool clips) {
  const Node* const clip = clips ? made_for_it(at.node, "Clip") : nullptr;
  if (clips && clip == nullptr) return Verdict::no("its input is not made by a Clip that it alone reads");
  const Node* const reshape = made_for_it(clips ? *clip : at.node, "Reshape");
  if (reshape == nullptr || reshape->input(0) == nullptr)
    return Verdict::no("its input is not made by a Reshape that it alone reads");
  Value& data = *reshape->input(0);
  const Shape whole = at.shapes.of(data), parts = at.shapes.of(*reshape->output(0));
  if (whole.rank() == 0 || parts.rank() < 2) return Verdict::no("the shapes around the Reshape are not known");
  const Dim length = whole[whole.rank() - 1], count = parts[parts.rank() - 2], width = parts[parts.rank() - 1];
  if (!length.known() || !count.known() || !width.known())
    return Verdict::no("the last extents around the Reshape are not known");
  const std::int64_t p = count.value(), q = width.value();
  if (q == 0 || length.value() % q != 0 || length.value() / q != p)
    return Verdict::no("the Reshape does not split the last axis into two");
  if (p < 2 || p > most) return Verdict::no("the number of parts is 1 or too large");
  const std::optional<Ints> axes = at.given("axes");
  const auto last = static_cast<std::int64_t>(parts.rank()) - 1;
  if (axes != Ints{-1} && axes != Ints{last}) return Verdict::no("it does not sum over the last axis alone");
  const auto axis = static_cast<std::int64_t>(whole.rank()) - 1;
  std::vector<Value*> sums;
  for (std::int64_t i = 0; i < p; ++i) {
    const std::string part = std::to_string(i);
    Value* value = &at.op_with("Slice", data, {{"starts", {i * q}}, {"ends", {(i + 1) * q}}, {"axes", {axis}}}, {},
                               "slice_" + part);
    if (clip != nullptr) {
      std::vector<Value*> inputs(clip->inputs().begin(), clip->inputs().end());
      inputs.front() = value;
      value = at.rewriter.clone(*clip, inputs).output(0);
    }
    sums.push_back(&at.op_with("ReduceSum", *value, {{"axes", {axis}}}, {{"keepdims", 1}}, "part_" + part));
  }
  return at.rewriter.replace(*at.node.output(0), at.op("Concat", sums, {{"axis", axis}}, "concat"));
}

GRAFT_INLINE Pass sums_of_parts(std::string name, std::size_t most, bool clips) {
  const auto surgery = [most = static_cast<std::int64_t>(most), clips](const Surgery& at) {
    return sum_parts(at, most, clips);
  };
  return surgery_of_nodes(std::move(name), {"ReduceSum"}, surgery);
}

}  // namespace detail

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
    if (axes != Ints{3} && axes != Ints{-1}) return Verdict::no("its axis is not the last one of rank 4");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    const Shape data = at.shape(0);
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis < 3 && rows >= 0; ++axis)
      rows = data.known() && data[axis].known() ? rows * data[axis].value() : -1;
    if (rows >= 0 && rows != count)
      return Verdict::no(
          Reason{"it has {} maxima, {} expected", "count", {static_cast<double>(rows), static_cast<double>(count)}, 2});
    Value& maxima = *at.node.output(0);
    if (detail::is_made_a_row(maxima, count)) return Verdict::no("a Reshape makes it a row already");
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
      return Verdict::no("its axis is the last one already");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    at.rewriter.set_attribute(at.node, {"axis", -1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
