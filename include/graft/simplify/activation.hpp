#pragma once
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  f(f(x))                  f: Relu, Abs, Sign
// After:   f(x)
//
// The inner node may have other readers.
extern const RuleView repeated_abs;
extern const RuleView repeated_relu;
extern const RuleView repeated_sign;

// Before:  f(g(x))                  f, g: Ceil, Floor, Round
// After:   g(x)
//
// The inner node may have other readers.
extern const RuleView repeated_round;

namespace rules {

inline constexpr auto alpha = attr<"alpha", float>;
inline constexpr auto hard_sigmoid_of_x = op<"HardSigmoid">(x).with(alpha = 1.0F / 6, beta = 0.5F);

}  // namespace rules

// Before:  Clip(x + 3, 0, 6) / 6                 or times 1 / 6
// After:   HardSigmoid(x) {alpha=1/6, beta=0.5}
//
// The constants are single elements. 1 / 6 is exact to 2^-22, in f16 to 2^-10, in bf16 to 2^-8. (Howard et al. 2019.)
extern const RuleView hard_sigmoid;

// Before:  x * Clip(x + 3, 0, 6) / 6             factors and summands in any order; one of the three is divided by 6 or
//                                                multiplied by 1 / 6
// After:   HardSwish(x)                          by the rule hard_swish, since opset 14
//          x * HardSigmoid(x)                    by the rule hard_swish_by_hard_sigmoid, before opset 14
//
// The constants are as hard_sigmoid requires.
extern const RuleView hard_swish;
extern const RuleView hard_swish_by_hard_sigmoid;

// Before:  x * HardSigmoid(x) {alpha=1/6, beta=0.5}
// After:   HardSwish(x)                          since opset 14
extern const RuleView hard_swish_of_hard_sigmoid;

namespace rules {

inline constexpr auto root = cst<"root">.scalar();
inline constexpr auto inverse_root = cst<"inverse_root">.scalar();

inline constexpr auto one_and_erf =
    comm<"Add">(op<"Erf">(either(op<"Div">(x, root), comm<"Mul">(x, inverse_root))), unity);

/// x * 0.5 * p, in any order and association.
constexpr auto half_x_times(const pattern auto& p) {
  return either(comm<"Mul">(comm<"Mul">(x, p), half), comm<"Mul">(x, comm<"Mul">(p, half)),
                comm<"Mul">(comm<"Mul">(x, half), p));
}

constexpr auto erf_form() { return half_x_times(one_and_erf); }

}  // namespace rules

// Before:  x * 0.5 * (1 + Erf(x / sqrt(2)))      or x * (1 / sqrt(2)) for the quotient; factors and summands in
//                                                any order, associated as (x * (1 + e)) * 0.5, x * ((1 + e) * 0.5) or
//                                                (x * 0.5) * (1 + e)
// After:   Gelu(x)                               of the main domain, since opset 20
//          com.microsoft::Gelu(x)                by the rule contrib_gelu, at any opset
//
// The constants are single elements. sqrt(2) is exact to 2^-22, in f16 to 2^-10, in bf16 to 2^-8. (Hendrycks and Gimpel
// 2016, exact form.)
extern const RuleView contrib_gelu;
extern const RuleView gelu;

// Before:  Log(Softmax(x))
// After:   LogSoftmax(x)            along the axis of the Softmax, its default included
//
// Nothing else reads the Softmax. Where Softmax rounds to 0, Log gave -infinity; LogSoftmax gives the true number. The
// rule does not declare this as a change of values. So facts about values, such as calibrated ranges, stay.
extern const RuleView log_softmax;

}  // namespace graft::inline v1
