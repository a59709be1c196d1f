#pragma once
#include <cmath>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/clips.hpp>

// Before:  Max(x, c), Min(x, c)       in either order
// After:   Relu(x)                    of Max if c is 0
//          Clip(x, c), Clip(x, , c)
//
// x is f32 or f16, c a constant of one element, since opset 8: before, Max and Min do not broadcast.
// c is a number: Max and Min hand a NaN on, of x as Relu and Clip do, of c as these do not. x is of rank 1 at least if
// c is. The open end of a Clip is the greatest float (ONNX): what is infinite there becomes that. With clip_clip,
// one Clip is left of a ReLU6 that is spelt as Max and Min.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto bound = cst<"bound">.scalar();
inline constexpr auto zero_bound = cst<"zero_bound">.scalar().all_equal(0);

inline Verdict bounds(const Value& input, const Tensor& constant) {
  if (std::isnan(constant.item<float>())) return Verdict::no("the bound is not a number");
  return adds_no_axis(input, constant) ? Verdict::yes() : Verdict::no("the bound may raise the rank");
}

inline float float_of(const Tensor& constant) { return constant.item<float>(); }

inline constexpr auto max_0_to_relu =
    rule<"max-0-to-relu">(comm<"Max">(single, zero_bound).since(8),
                         where(predicate<bounds>("")(x, zero_bound)), op<"Relu">(x));

inline constexpr auto max_to_clip =
    rule<"max-to-clip">(comm<"Max">(single, bound).since(8), where(predicate<bounds>("")(x, bound)),
                        op<"Clip">(x).with(clip_min = call<float_of>(bound)));

inline constexpr auto min_to_clip =
    rule<"min-to-clip">(comm<"Min">(single, bound).since(8), where(predicate<bounds>("")(x, bound)),
                        op<"Clip">(x).with(clip_max = call<float_of>(bound)));

}  // namespace detail::simplification

using detail::simplification::max_0_to_relu;
using detail::simplification::max_to_clip;
using detail::simplification::min_to_clip;

}  // namespace graft::inline v1
