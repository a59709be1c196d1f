#pragma once
#include <graft/simplify/eliminate/no_ops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto to = attr<"to", DType>;

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

inline bool has_shape_of(const Value& value, const Node& node) {
  return same_size(value.shape(), node.output(0)->shape());
}

inline bool are_all(std::int64_t wanted, const Ints& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [wanted](std::int64_t number) { return number == wanted; });
}

inline bool are_0(const Ints& numbers) { return are_all(0, numbers); }

inline bool are_1(const std::optional<Ints>& numbers) { return !numbers || are_all(1, *numbers); }

inline constexpr auto same_shape = predicate<keeps_shape>("it may change the shape");

inline constexpr auto no_broadcast = predicate<has_shape_of>("the constant may broadcast it");

inline constexpr auto remove_cast =
    rule<"remove-cast">(op<"Cast">(x).with(to, opt(saturate), opt(round_mode)),
                        where(predicate<has_dtype>("it changes the dtype")(x, to)), x);

inline constexpr auto remove_cast_like =
    rule<"remove-cast-like">(op<"CastLike">(x, y).with(opt(saturate), opt(round_mode)),
                             where(predicate<has_dtype_of>("it changes the dtype")(x, y)), x);

inline constexpr auto remove_transpose =
    rule<"remove-transpose">(op<"Transpose">(x).with(opt(perm)),
                             where(predicate<keeps_order>("it changes the order of axes")(x, perm)), x);

inline constexpr auto remove_reshape = rule<"remove-reshape">(reshaping(x).as(outer), where(same_shape(outer)), x);

inline constexpr auto remove_expand =
    rule<"remove-expand">(one_of<"Expand", "Tile">(x, any).as(outer), where(same_shape(outer)), x);

inline constexpr auto remove_split = rule<"remove-split">(
    op<"Split">(x, rest<>)
        .with(opt(attr<"axis", std::int64_t>), opt(attr<"num_outputs", std::int64_t>), opt(attr<"split", Ints>))
        .as(outer),
    where(same_shape(outer)), x);

inline constexpr auto remove_slice =
    rule<"remove-slice">(op<"Slice">(x).with(starts, ends, opt(axes), opt(steps)).as(outer),
                         where(predicate<are_1>("its steps are not all 1")(steps), same_shape(outer)), x);

inline constexpr auto remove_pad =
    rule<"remove-pad">(op<"Pad">(x, rest<>).with(pads, opt(mode), opt(attr<"value", float>)),
                       where(predicate<are_0>("it pads")(pads)), x);

inline constexpr auto remove_concat =
    rule<"remove-concat">(one_of<"Concat", "Sum", "Max", "Min", "Mean">(x).with(opt(attr<"axis", std::int64_t>)), x);

inline constexpr auto remove_add_0 =
    rule<"remove-add-0">(comm<"Add">(x, zero).as(outer), where(no_broadcast(x, outer)), x);

inline constexpr auto remove_sub_0 =
    rule<"remove-sub-0">(op<"Sub">(x, zero).as(outer), where(no_broadcast(x, outer)), x);

inline constexpr auto remove_mul_1 =
    rule<"remove-mul-1">(comm<"Mul">(x, one).as(outer), where(no_broadcast(x, outer)), x);

inline constexpr auto remove_div_1 =
    rule<"remove-div-1">(one_of<"Div", "Pow">(x, one).as(outer), where(no_broadcast(x, outer)), x);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView remove_add_0 = vocabulary::remove_add_0.view();

GRAFT_INLINE constinit const RuleView remove_cast = vocabulary::remove_cast.view();

GRAFT_INLINE constinit const RuleView remove_cast_like = vocabulary::remove_cast_like.view();

GRAFT_INLINE constinit const RuleView remove_concat = vocabulary::remove_concat.view();

GRAFT_INLINE constinit const RuleView remove_div_1 = vocabulary::remove_div_1.view();

GRAFT_INLINE constinit const RuleView remove_expand = vocabulary::remove_expand.view();

GRAFT_INLINE constinit const RuleView remove_mul_1 = vocabulary::remove_mul_1.view();

GRAFT_INLINE constinit const RuleView remove_pad = vocabulary::remove_pad.view();

GRAFT_INLINE constinit const RuleView remove_reshape = vocabulary::remove_reshape.view();

GRAFT_INLINE constinit const RuleView remove_slice = vocabulary::remove_slice.view();

GRAFT_INLINE constinit const RuleView remove_split = vocabulary::remove_split.view();

GRAFT_INLINE constinit const RuleView remove_sub_0 = vocabulary::remove_sub_0.view();

GRAFT_INLINE constinit const RuleView remove_transpose = vocabulary::remove_transpose.view();

}  // namespace graft::inline v1
