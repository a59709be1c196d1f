#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/problem.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

/// The nodes of QONNX's domains, in all scopes, that no runtime can compute, and the reasons. The operator or rounding
/// mode may not exist. A quantizer may have too many or too few inputs; parameters that are neither float32 nor
/// integers, or do not broadcast to x; scales that are not positive and finite; or bit widths below 1. Unknown values
/// count as correct; infer shapes first.
std::vector<Problem> verify_quantizers(Graph& graph);

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Mul(Sub(Quant(Add(Div(x, scale), zero_point), 1, 0, bits), zero_point), scale)
//
// Without Div and Mul if the scale is 1, and without Add and Sub if the zero point is 0. Both may be variable. Opset 7
// or later. y is the same, bit by bit, except for the sign of 0.

/// The pass that does this to the Quant and IntQuant nodes of all scopes. The remaining Quant nodes output integers.
Pass extract_quant_scale_zero_point();

}  // namespace graft::inline v1::qonnx
