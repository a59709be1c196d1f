#pragma once
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Add(f(x, w, b?), c), in either order, or Sub(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w, b')                   b'[m] = b[m] + c[m]      or - c[m]
//
// w, b and c are constant floats. c has one value for all output channels, or one for each. Its rank is at most that of
// the result, and its extents are 1 along every axis except the second, that of the channels. A Gemm has b of rank 1
// and beta 1. b' is finite in its dtype.
extern const RuleView add_into_conv_bias;

// Before:  Add(Conv(x, w), c), in either order, or Sub(Conv(x, w), c)
// After:   Conv(x, w, b')
//
// w is computed, and its shape gives the output channels. c is as add_into_conv_bias requires.
extern const RuleView add_into_computed_conv_bias;

namespace rules {

Tensor output_scaled_weight(const Node& product, const Tensor& weights, const Node& operation, const Tensor& constant);

Tensor output_scaled_bias(const Tensor& old, const Node& operation, const Tensor& constant);

Verdict scales_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                       const Node& operation, const Tensor& constant);

}  // namespace rules

// Before:  Mul(f(x, w, b?), c), in either order, or Div(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w', b'?)              w'[m,...] = w[m,...] * c[m]    b'[m] = b[m] * c[m]      or / c[m]
//
// w, b, c and a Gemm are as add_into_conv_bias requires. w' and b' are finite in their dtype, and fresh constants: a
// shared w stays as it is.
extern const RuleView mul_into_conv;

// Before:  Mul(Relu(f(x, w, b?)), c), in either order, or Div(Relu(f(x, w, b?)), c)      f: Conv or Gemm
// After:   Relu(f(x, w', b'?))
//
// w', b' and c are those of mul_into_conv, and c is positive.
extern const RuleView mul_past_relu_into_conv;

// Before:  Mul(Clip(f(x, w, b?), l, h), c), in either order, or Div(Clip(f(x, w, b?), l, h), c)     f: Conv or Gemm
// After:   Clip(f(x, w', b'?), l', h')                       l' = l * c, h' = h * c      or / c
//
// w', b' and c are those of mul_into_conv, and f32 or f16. c is one positive value. l and h are constant. A HardSigmoid
// that is written as Clip and Div becomes a Clip.
extern const RuleView mul_past_clip_into_conv;

}  // namespace graft::inline v1
