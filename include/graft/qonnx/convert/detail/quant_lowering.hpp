#pragma once
#include <string>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Inserts float operators that compute a Quant or BipolarQuant, before it; for constants, computes the constant.
/// Returns the result, or nullptr and the reason; in that case edits may be left uncommitted.
Value* lower_quant(const Node& node, Rewriter& rewriter, std::string& why);

/// Inserts float operators that compute a FloatQuant of constant parameters, before it. Returns the result, or nullptr
/// and the reason. Precondition: check_float_quantizer().
///
/// The power of two below a magnitude p is q - q (1 - 2^-24) with q = p (2^23 + 1). This is exact in float32 without
/// overflow and subnormal numbers: ufp of Rump, Ogita and Oishi, "Accurate floating-point summation, part I", 2008.
Value* lower_float_quant(const Node& node, Rewriter& rewriter, std::string& why);

/// Inserts float operators that compute a Trunc of constant parameters, before it. Returns the result, or nullptr and
/// the reason. Precondition: check_float_quantizer().
Value* lower_trunc(const Node& node, Rewriter& rewriter, std::string& why);

}  // namespace graft::inline v1::qonnx::detail
