#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  onnx.brevitas::Quant(x, s, z, b), or of finn.custom_op.general; with or without an import of that domain
// After:   qonnx.custom_op.general::Quant(x, s, z, b)
//
// The operator is one that QONNX has. The imports follow: that of QONNX's domain is added, at the version of the old
// one or 1, and those that nothing uses any more go. Values, shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that gives every operator of QONNX its own domain, in bodies and functions too.
Pass canonical_domains();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/canonical_domains.ipp>
#endif
