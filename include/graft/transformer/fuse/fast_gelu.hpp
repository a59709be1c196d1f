#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

// Before:  x * 0.5 * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
// After:   com.microsoft::FastGelu(x)              by fast_gelu; x is f32 or f16
//          Gelu(x) {approximate="tanh"}            by gelu_by_tanh, since opset 20
//
// Factors and summands stand in any order and association, x^3 is Pow(x, 3) or a product, and the argument of Tanh may
// be any sum of products that is this polynomial, such as x * 0.79788456 * (1 + 0.044715 * x * x). Its coefficients are
// right to 2^-15, in f16 and bf16 to 2^-7: tools write 0.044715 and 0.79788 with few digits. Constants are single
// elements. (Hendrycks and Gimpel 2016, the approximation.)
//
// Before:  Gelu(x) {approximate="tanh"}
// After:   com.microsoft::FastGelu(x)              by tanh_gelu_to_fast_gelu; x is f32 or f16

namespace graft::inline v1 {

extern const RuleView fast_gelu;
extern const RuleView gelu_by_tanh;
extern const RuleView tanh_gelu_to_fast_gelu;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/fast_gelu.ipp>
#endif
