#pragma once
#include <graft/simplify/no_op.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto saturate = attr<"saturate", std::int64_t>;

inline constexpr auto round_mode = attr<"round_mode", std::string_view>;

inline constexpr auto zero = cst<"zero">.all_equal(0);

inline constexpr auto one = cst<"one">.all_equal(1);

inline bool has_dtype(const Value& value, DType dtype) { return value.dtype() == dtype; }

inline bool has_dtype_of(const Value& value, const Value& other) {
  return value.dtype() == other.dtype() && value.dtype() != DType::undefined;
}

inline bool keeps_order(const Value& value, const std::optional<Ints>& order) {
  if (!order) return value.shape().known() && value.shape().rank() <= 1;  // it reverses the axes
  for (std::size_t i = 0; i < order->size(); ++i)
    if ((*order)[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

inline bool keeps_shape(const Node& node) { return same_size(node.input(0)->shape(), node.output(0)->shape()); }

/// Whether a dim is that number for all feeds. -1 is not an extent.
inline bool is_extent(const Dim& dim, std::int64_t number) { return number >= 0 && same_size(dim, Dim(number)); }

/// Whether the constant neither adds axes to the value nor changes an extent of it.
inline bool broadcasts_into(const Value& value, const Tensor& constant) {
  const Shape into = value.shape();
  if (constant.rank() == 0) return true;
  if (!into.known() || into.rank() < constant.rank()) return false;
  for (std::size_t i = 0; i < constant.rank(); ++i) {
    const std::int64_t extent = constant.dims()[i];
    if (extent != 1 && !is_extent(into[into.rank() - constant.rank() + i], extent)) return false;
  }
  return true;
}

/// The elements of an input that gives a shape, if all are constant or inferred.
inline std::optional<Ints> shape_input(const Node& node, KnownContents& known) {
  return node.input(1) == nullptr ? std::nullopt : known.ints(*node.input(1));
}

/// Whether a Reshape keeps the shape. It has as many numbers, and all but one copy an extent or are equal to it. The
/// other one follows from the number of elements: it is -1, or any number if the tensor is not empty.
inline bool writes_same_shape(const Node& node, KnownContents& known) {
  const Shape from = node.input(0)->shape();
  if (!from.known()) return false;
  if (node.is("Flatten")) {
    const std::int64_t axis_of_x = node.attr<std::int64_t>("axis").value_or(1);
    if (from.rank() != 2) return false;
    const bool joins_all = axis_of_x == 0 || axis_of_x == -2;
    return axis_of_x == 1 || axis_of_x == -1 || (joins_all && is_extent(from[0], 1));
  }
  if (!node.is("Reshape")) return false;
  const std::optional<Ints> given = node.opset() < 5 ? node.attr<Ints>("shape") : shape_input(node, known);
  if (!given || given->size() != from.rank()) return false;
  const bool copies = node.attr<std::int64_t>("allowzero").value_or(0) == 0;
  std::size_t unsure = 0;
  bool may_be_empty = false, is_inferred = false;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    const std::int64_t number = (*given)[i];
    if ((number == 0 && copies) || is_extent(from[i], number)) {
      may_be_empty = may_be_empty || !from[i].known() || from[i].value() == 0;
    } else {
      ++unsure;
      is_inferred = number == -1;
    }
  }
  return unsure == 0 || (unsure == 1 && (is_inferred || !may_be_empty));
}

inline bool are_all(std::int64_t wanted, const Ints& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [wanted](std::int64_t number) { return number == wanted; });
}

/// Whether Expand or Tile changes nothing: its numbers are ones, or an Expand has x's extents.
inline bool expands_nothing(const Node& node, KnownContents& known) {
  const Shape from = node.input(0)->shape();
  const std::optional<Ints> wanted = shape_input(node, known);
  if (!wanted) return false;
  if (node.is("Tile")) return are_all(1, *wanted);
  if (wanted->empty()) return true;
  if (!from.known() || from.rank() < wanted->size()) return false;
  for (std::size_t i = 0; i < wanted->size(); ++i)
    if ((*wanted)[i] != 1 && !is_extent(from[from.rank() - wanted->size() + i], (*wanted)[i])) return false;
  return true;
}

inline bool keeps_dims_of(const Node& node, KnownContents& known) {
  if (keeps_shape(node)) return true;
  return node.is("Expand") || node.is("Tile") ? expands_nothing(node, known) : writes_same_shape(node, known);
}

/// Whether a Split has one part with all elements: it has no sizes, or its size is not known to differ from the extent.
inline bool is_whole(const Node& node, KnownContents& known) {
  if (keeps_shape(node)) return true;
  if (node.output_count() != 1 || node.attr<std::int64_t>("num_outputs").value_or(1) != 1) return false;
  std::optional<Ints> sizes = node.attr<Ints>("split");
  if (!sizes) sizes = shape_input(node, known);
  if (!sizes || sizes->empty()) return true;
  const Shape from = node.input(0)->shape();
  const std::int64_t along = node.attr<std::int64_t>("axis").value_or(0);
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (sizes->size() != 1 || !from.known() || along < -rank || along >= rank) return false;
  const Dim extent = from[static_cast<std::size_t>(along < 0 ? along + rank : along)];
  return !extent.known() || extent.value() == sizes->front();
}

inline bool are_0(const Ints& numbers) { return !numbers.empty() && are_all(0, numbers); }

inline bool are_1(const std::optional<Ints>& numbers) { return !numbers || are_all(1, *numbers); }

inline bool bounds_nothing(const Node& node, const std::optional<float>& lower, const std::optional<float>& upper) {
  const DType dtype = node.input(0)->dtype();
  if (dtype != DType::f32 && dtype != DType::f16)  // other floats may not hold them
    return is_integer(dtype) && !lower && !upper;
  const ClipBounds bounds(node, lower, upper);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return bounds.min == -infinity && bounds.max == infinity;
}

inline constexpr auto same_shape = predicate<keeps_shape>("it may change the shape");

/// Replaces the first output by x if the function agrees. All nodes share the shapes that it finds.
template <bool (*Keeps)(const Node&, KnownContents&)>
inline constexpr auto x_if = [](const auto& m, Rewriter& rewriter) {
  Node& node = m[outer];
  if (!Keeps(node, rewriter.known_contents())) return Verdict::no("it may change the shape");
  rewriter.keep_known_contents();
  std::vector<Value*> successors(node.output_count());
  successors[0] = &m[x];
  return rewriter.replace(node, successors);
};

inline constexpr auto no_broadcast = predicate<broadcasts_into>("the constant may broadcast it");

inline constexpr auto remove_cast =
    rule<"remove-cast">(op<"Cast">(x).with(cast_to, opt(saturate), opt(round_mode)),
                        where(predicate<has_dtype>("it changes the dtype")(x, cast_to)), x);

inline constexpr auto remove_cast_like =
    rule<"remove-cast-like">(op<"CastLike">(x, y).with(opt(saturate), opt(round_mode)),
                             where(predicate<has_dtype_of>("it changes the dtype")(x, y)), x);

inline constexpr auto remove_transpose = rule<"remove-transpose">(
    op<"Transpose">(x).with(opt(perm)), where(predicate<keeps_order>("it changes the order of axes")(x, perm)), x);

inline constexpr auto remove_reshape =
    rule<"remove-reshape">(one_of<"Reshape", "Squeeze", "Unsqueeze">(x, rest<>)
                               .with(opt(any_allowzero), opt(any_axes), opt(any_shape))
                               .as(outer),
                           x_if<keeps_dims_of>);

inline constexpr auto remove_flatten =
    rule<"remove-flatten">(op<"Flatten">(x).with(opt(any_axis)).as(outer), x_if<keeps_dims_of>);

inline constexpr auto remove_expand =
    rule<"remove-expand">(one_of<"Expand", "Tile">(x, any).as(outer), x_if<keeps_dims_of>);

inline constexpr auto remove_split = rule<"remove-split">(
    op<"Split">(x, rest<>)
        .with(opt(attr<"axis", std::int64_t>), opt(attr<"num_outputs", std::int64_t>), opt(attr<"split", Ints>))
        .as(outer),
    x_if<is_whole>);

inline constexpr auto remove_slice =
    rule<"remove-slice">(op<"Slice">(x).with(starts, ends, opt(axes), opt(steps)).as(outer),
                         where(predicate<are_1>("its steps are not all 1")(steps), same_shape(outer)), x);

inline constexpr auto remove_pad = rule<"remove-pad">(
    op<"Pad">(x, rest<>).with(pads, opt(mode), opt(attr<"value", float>)), where(predicate<are_0>("it pads")(pads)), x);

inline constexpr auto remove_concat =
    rule<"remove-concat">(one_of<"Concat", "Sum", "Max", "Min", "Mean">(x).with(opt(attr<"axis", std::int64_t>)), x);

inline constexpr auto remove_clip =
    rule<"remove-clip">(op<"Clip">(x).with(opt(clip_min), opt(clip_max)).as(outer),
                        where(predicate<bounds_nothing>("it has a bound")(outer, clip_min, clip_max)), x);

inline constexpr auto remove_add_0 = rule<"remove-add-0">(comm<"Add">(x, zero), where(no_broadcast(x, zero)), x);

inline constexpr auto remove_sub_0 = rule<"remove-sub-0">(op<"Sub">(x, zero), where(no_broadcast(x, zero)), x);

inline constexpr auto remove_mul_1 = rule<"remove-mul-1">(comm<"Mul">(x, one), where(no_broadcast(x, one)), x);

inline constexpr auto remove_div_1 = rule<"remove-div-1">(one_of<"Div", "Pow">(x, one), where(no_broadcast(x, one)), x);

inline constexpr auto remove_and_true = rule<"remove-and-true">(comm<"And">(x, one), where(no_broadcast(x, one)), x);

inline constexpr auto remove_or_false =
    rule<"remove-or-false">(comm<"Or", "Xor", "BitwiseOr", "BitwiseXor">(x, zero), where(no_broadcast(x, zero)), x);

inline constexpr auto remove_shift_0 = rule<"remove-shift-0">(
    op<"BitShift">(x, zero).with(attr<"direction", std::string_view>), where(no_broadcast(x, zero)), x);

}  // namespace rules

GRAFT_INLINE constinit const RuleView remove_add_0 = rules::remove_add_0.view();

GRAFT_INLINE constinit const RuleView remove_and_true = rules::remove_and_true.view();

GRAFT_INLINE constinit const RuleView remove_cast = rules::remove_cast.view();

GRAFT_INLINE constinit const RuleView remove_cast_like = rules::remove_cast_like.view();

GRAFT_INLINE constinit const RuleView remove_clip = rules::remove_clip.view();

GRAFT_INLINE constinit const RuleView remove_concat = rules::remove_concat.view();

GRAFT_INLINE constinit const RuleView remove_div_1 = rules::remove_div_1.view();

GRAFT_INLINE constinit const RuleView remove_expand = rules::remove_expand.view();

GRAFT_INLINE constinit const RuleView remove_flatten = rules::remove_flatten.view();

GRAFT_INLINE constinit const RuleView remove_mul_1 = rules::remove_mul_1.view();

GRAFT_INLINE constinit const RuleView remove_or_false = rules::remove_or_false.view();

GRAFT_INLINE constinit const RuleView remove_pad = rules::remove_pad.view();

GRAFT_INLINE constinit const RuleView remove_reshape = rules::remove_reshape.view();

GRAFT_INLINE constinit const RuleView remove_shift_0 = rules::remove_shift_0.view();

GRAFT_INLINE constinit const RuleView remove_slice = rules::remove_slice.view();

GRAFT_INLINE constinit const RuleView remove_split = rules::remove_split.view();

GRAFT_INLINE constinit const RuleView remove_sub_0 = rules::remove_sub_0.view();

GRAFT_INLINE constinit const RuleView remove_transpose = rules::remove_transpose.view();

}  // namespace graft::inline v1
