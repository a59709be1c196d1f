#pragma once
#include <graft/lower/decompose_fused_conv.hpp>
#include <graft/lower/decompose_fused_gemm.hpp>
#include <graft/lower/decompose_fused_matmul.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that takes apart the products that ONNX Runtime writes where it saves a model that it has optimized:
/// FusedMatMul, FusedConv and FusedGemm of com.microsoft, everywhere, in bodies too. Types are inferred first. An
/// import of com.microsoft that nothing uses any more goes.
Pass decompose_fused_products();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_products.ipp>
#endif
