#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Conv(x, w, b)            or ConvTranspose
// After:   Add(Conv(x, w), b')      b': b with dims [1, M, 1, ...]
//
// The rank is that of w or of the result. A constant b becomes a constant b'. Where a quantizer of constants (Quant,
// BipolarQuant, DequantizeLinear of one scale, ...) makes b, that is done again over reshaped constants; anything else
// is reshaped by a Reshape. Others that read b keep it. Values stay, to the rounding of the sum: the bias is added
// last.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the nodes whose rank is not
/// known.
Pass extract_bias();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/extract_bias.ipp>
#endif
