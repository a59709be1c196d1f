#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Mul(Sub(Quant(Add(Div(x, scale), zero_point), 1, 0, bits), zero_point), scale)
//
// Without Div and Mul where the scale is 1, and without Add and Sub where the zero point is 0. They need not be
// constant. Opset 7 or later. y is the same, bit by bit, except for the sign of 0.

namespace graft::inline v1::qonnx {

/// The pass that does this to the Quant and IntQuant nodes of all scopes: what is left quantizes to integers.
Pass extract_quant_scale_zero_point();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/extract_quant_scale_zero_point.ipp>
#endif
