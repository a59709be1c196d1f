#pragma once
#include <string>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Float operators that compute what a Quant or BipolarQuant does, before it; for a constant, the constant that a Quant
/// makes of it. Returns the result, or nullptr and why there is none; then edits may be left uncommitted.
Value* lower_quant(const Node& node, Rewriter& rewriter, std::string& why);

/// Float operators that compute what a FloatQuant of constant parameters does, before it. Returns the result, or
/// nullptr and why there is none. Precondition: check_float_quantizer().
///
/// The power of two below a magnitude p is q - q (1 - 2^-24) with q = p (2^23 + 1), exactly in float32 where nothing
/// overflows or is subnormal: ufp of Rump, Ogita and Oishi, "Accurate floating-point summation, part I", 2008.
Value* lower_float_quant(const Node& node, Rewriter& rewriter, std::string& why);

/// Float operators that compute what a Trunc of constant parameters does, before it. Returns the result, or nullptr and
/// why there is none. Precondition: check_float_quantizer().
Value* lower_trunc(const Node& node, Rewriter& rewriter, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/quant_lowering.ipp>
#endif
