#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>

/// The captures of the shipped rules, and functions that rules call. Each capture is declared once, because each
/// instantiation costs compile time.

namespace graft::inline v1::vocabulary {

inline constexpr auto x = val<"x">;
inline constexpr auto y = val<"y">;
inline constexpr auto addend = val<"addend">;
inline constexpr auto selector = val<"selector">;
inline constexpr auto v = cst<"v">;
inline constexpr auto w = cst<"w">;
inline constexpr auto b = cst<"b">;
inline constexpr auto c = cst<"c">;
inline constexpr auto scale = cst<"scale">;
inline constexpr auto bias = cst<"bias">;
inline constexpr auto mean = cst<"mean">;
inline constexpr auto variance = cst<"variance">;
inline constexpr auto left = rest<"left">;
inline constexpr auto middle = rest<"middle">;
inline constexpr auto right = rest<"right">;

inline constexpr auto conv = node<"conv">;
inline constexpr auto inner = node<"inner">;
inline constexpr auto outer = node<"outer">;

inline constexpr auto axis = attr<"axis", Axis>;
inline constexpr auto axes = param<"axes", Axes>;
inline constexpr auto inner_axes = axes.named<"inner_axes">();
inline constexpr auto beta = attr<"beta", float>;
inline constexpr auto epsilon = attr<"epsilon", float>;
inline constexpr auto perm = attr<"perm", Ints>;
inline constexpr auto inner_perm = perm.named<"inner_perm">();
inline constexpr auto pads = param<"pads", Ints>;
inline constexpr auto shape = param<"shape", Ints>;
inline constexpr auto starts = param<"starts", Ints>;
inline constexpr auto ends = param<"ends", Ints>;
inline constexpr auto steps = param<"steps", Ints>;
inline constexpr auto mode = attr<"mode", std::string_view>;
inline constexpr auto allowzero = attr<"allowzero", std::int64_t>;
inline constexpr auto cast_to = attr<"to", DType>;
inline constexpr auto keepdims = attr<"keepdims", std::int64_t>;
inline constexpr auto trans_a = attr<"transA", std::int64_t>;
inline constexpr auto trans_b = attr<"transB", std::int64_t>;

/// Whether an operand of one element adds no dims to the result: [1] turns rank 0 into rank 1.
inline bool adds_no_axis(const Value& value, const std::optional<Tensor>& constant) {
  return !constant || constant->rank() == 0 || (value.shape().known() && value.shape().rank() >= constant->rank());
}

}  // namespace graft::inline v1::vocabulary

// graft's rules, and functions that only they call. They use these words, and are not words for others.
namespace graft::inline v1::rules {
using namespace graft::vocabulary;
}  // namespace graft::inline v1::rules
