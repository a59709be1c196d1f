#pragma once
#include <string>

#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a Quant or BipolarQuant computes at all, as far as its parameters and shapes are known: parameters are
/// float32 and broadcast to x, scales are positive and finite, bit widths 1 or more. False, and why, if it does not.
bool check_quantizer(const Node& quant, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/check_quantizer.ipp>
#endif
