#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses the products, MatMul and Gemm by constants, that take least time with activations quantized as
/// the model runs. It weighs three alternatives for each product by the target's costs: float, Q/DQ pairs, as
/// Placement::min_cost places them, and quantize_dynamic(). The last takes Target::dynamic_quantize once for each
/// tensor, however many products read it, and no conversion behind. The graph stays as it is. Needs Ranges, and
/// provides DynamicProducts for inject_qdq() and quantize_dynamic(), which come next. What it reports as changes is how
/// many there are.
Pass choose_dynamic_by_cost(const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/place/choose_dynamic_by_cost.ipp>
#endif
