#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

/// The pass after which QONNX has one spelling: operators of every domain of `domains` are of qonnx.custom_op.general,
/// IntQuant is Quant, domains that nodes use are imported, and those of QONNX that none uses no longer are. Other
/// operators of those domains stay. Outside of functions, parameters of quantizers that are integer constants become
/// float32.
/// The version of the import is that of the model's Trunc nodes; where there are both, or a local function does not
/// import the domain, nodes stay as they are and a note says so.
Pass canonical_operators();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/canonical_operators.ipp>
#endif
