#pragma once
#include <string>

#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a quantizer, by is_quantizer(), computes at all, as far as its parameters and shapes are known: there are as
/// many as it has, float32 or integers, which broadcast to x; scales are positive and finite, bit widths 1 or more,
/// those of the exponent and mantissa of FloatQuant 0 or more. False, and why, if it does not.
bool check_quantizer(const Node& quant, std::string& why);

/// And whether its constant parameters are float32, as conversions need them. canonical_operators() makes them so.
bool check_float_quantizer(const Node& quant, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/check_quantizer.ipp>
#endif
