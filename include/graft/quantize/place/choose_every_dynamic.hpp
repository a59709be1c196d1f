#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses every product, MatMul and Gemm by constants, that takes less time with activations quantized
/// as the model runs than in float, by the target's costs: convolutions alone are left to Q/DQ pairs. The graph stays
/// as it is. Provides DynamicProducts for inject_qdq() and quantize_dynamic(), which come next. What it reports as
/// changes is how many there are.
Pass choose_every_dynamic(const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/place/choose_every_dynamic.ipp>
#endif
