#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

/// The pass that gives QONNX's operators one spelling. Operators of every domain of `domains` move to
/// qonnx.custom_op.general, IntQuant becomes Quant, domains in use are imported, and unused imports of QONNX's domains
/// are removed. Other operators of those domains stay. Outside of functions, integer constants that are parameters of
/// quantizers become float32. The version of the import is that of the model's Trunc nodes. If both versions occur, or
/// a local function does not import the domain, nodes are skipped with a note.
Pass canonical_operators();

}  // namespace graft::inline v1::qonnx
