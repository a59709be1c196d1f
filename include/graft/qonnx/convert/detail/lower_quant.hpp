#pragma once
#include <string>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Float operators that compute what a Quant or BipolarQuant does, before it; for a constant, the constant that a Quant
/// makes of it. Returns the result, or nullptr and why there is none; then edits may be left uncommitted.
Value* lower_quant(const Node& node, Rewriter& rewriter, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/lower_quant.ipp>
#endif
