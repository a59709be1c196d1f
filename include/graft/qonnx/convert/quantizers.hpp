#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/problem.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

/// Nodes of QONNX's domains in all scopes that no runtime computes, and why: there is no such operator or rounding
/// mode; or, of quantizers, inputs are too many or too few, parameters are neither float32 nor integers, or do not
/// broadcast to x, scales are not positive and finite, or bit widths are below 1. What is not known is taken to be
/// right; infer shapes first.
std::vector<Problem> verify_quantizers(Graph& graph);

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Mul(Sub(Quant(Add(Div(x, scale), zero_point), 1, 0, bits), zero_point), scale)
//
// Without Div and Mul where the scale is 1, and without Add and Sub where the zero point is 0. They need not be
// constant. Opset 7 or later. y is the same, bit by bit, except for the sign of 0.

/// The pass that does this to the Quant and IntQuant nodes of all scopes: what is left quantizes to integers.
Pass extract_quant_scale_zero_point();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/quantizers.ipp>
#endif
