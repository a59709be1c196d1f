#pragma once
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Add(f(x, w, b?), c), in either order, or Sub(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w, b')                   b'[m] = b[m] + c[m]      or - c[m]
//
// w, b and c are constant floats. c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but that of the channels, the second. b of a Gemm is of rank 1, and beta 1.
// b' is finite in its dtype.
//
// Before:  Add(Conv(x, w), c), in either order, or Sub(Conv(x, w), c)
// After:   Conv(x, w, b')
//
// w is computed: by its shape it has output channels. c is as above.
extern const RuleView add_into_computed_conv_bias;
extern const RuleView add_into_conv_bias;

namespace rules {

Tensor output_scaled_weight(const Node& product, const Tensor& weights, const Node& operation, const Tensor& constant);

Tensor output_scaled_bias(const Tensor& old, const Node& operation, const Tensor& constant);

Verdict scales_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                       const Node& operation, const Tensor& constant);

}  // namespace rules

// Before:  Mul(f(x, w, b?), c), in either order, or Div(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w', b'?)              w'[m,...] = w[m,...] * c[m]    b'[m] = b[m] * c[m]      or / c[m]
//
// w, b and c are constant floats; c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but the second. w' and b' are finite in their dtype, and fresh: a shared w stays as it
// is. b of a Gemm is of rank 1, and beta 1.
extern const RuleView mul_into_conv;

// Before:  Mul(Relu(f(x, w, b?)), c), in either order, or Div(Relu(f(x, w, b?)), c)      f: Conv or Gemm
// After:   Relu(f(x, w', b'?))             by the rule mul_past_relu_into_conv
//
// Before:  the same of Clip(f(x, w, b?), l, h)
// After:   Clip(f(x, w', b'?), l', h')     by the rule mul_past_clip_into_conv     l' = l * c, h' = h * c      or / c
//
// w', b' and c are as mul_into_conv has them, and c is positive. For Clip all are f32 or f16, c is one value, and l and
// h are constant. A HardSigmoid that is spelt as Clip and Div becomes a Clip.
extern const RuleView mul_past_clip_into_conv;
extern const RuleView mul_past_relu_into_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/conv_epilogue.ipp>
#endif
