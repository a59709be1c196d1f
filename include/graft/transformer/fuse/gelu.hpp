#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

/// Turns Gelus in primitives, by Erf, Tanh or Sigmoid, into the operators of the runtime, with their biases: Gelu,
/// BiasGelu, FastGelu and QuickGelu. Since opset 20 also Gelu of the main domain, if the runtime has it. The
/// approximation by Tanh stays one, and nothing else becomes one. Infers types first.
Pass fuse_gelus(const FusedOperators& runtime);

// Before:  x * Sigmoid(alpha * x), or x * Sigmoid(x)    factors in any order
// After:   com.microsoft::QuickGelu(x) {alpha}          alpha=1 for the latter
//
// alpha is a constant of one element. x is f32 or f16.
extern const RuleView quick_gelu;
extern const RuleView silu_to_quick_gelu;

// Before:  x * 0.5 * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
// After:   com.microsoft::FastGelu(x)              by fast_gelu; x is f32 or f16
//          Gelu(x) {approximate="tanh"}            by gelu_by_tanh, since opset 20
//
// Factors and summands may have any order and association, x^3 is Pow(x, 3) or a product. The argument of Tanh may be
// any sum of products that is this polynomial, such as x * 0.79788456 * (1 + 0.044715 * x * x). Its coefficients are
// exact to 2^-15, in f16 and bf16 to 2^-7: tools write 0.044715 and 0.79788 with few digits. Constants are single
// elements. (Hendrycks and Gimpel 2016, the approximation.)
extern const RuleView fast_gelu;
extern const RuleView gelu_by_tanh;

// Before:  Gelu(x) {approximate="tanh"}
// After:   com.microsoft::FastGelu(x)              x is f32 or f16
extern const RuleView tanh_gelu_to_fast_gelu;

// Before:  Gelu(x + b) {approximate="none"}, or com.microsoft::Gelu(x + b)
// After:   com.microsoft::BiasGelu(x, b)
//
// b is a constant [H], and H the last extent of x. x is f32 or f16. Nothing else reads the sum.
extern const RuleView bias_gelu;

// Before:  com.microsoft::FastGelu(x + b), or Gelu(x + b) {approximate="tanh"}
// After:   com.microsoft::FastGelu(x, b)
//
// The conditions are those of bias_gelu.
extern const RuleView bias_fast_gelu;

}  // namespace graft::inline v1
