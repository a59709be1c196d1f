#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

/// The pass that makes of Gelus in primitives, by Erf, by Tanh or by Sigmoid, the operators that the runtime has, and
/// takes biases into them: Gelu and BiasGelu, FastGelu, QuickGelu; Gelu of the main domain where the runtime has that
/// and the opset is 20 or later. The approximation by Tanh stays one, and nothing else becomes one. Types are inferred
/// first.
Pass fuse_gelus(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/gelu.ipp>
#endif
