#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses for each product, MatMul and Gemm by constants, the form that takes least time by the target's
/// costs: float; Q/DQ pairs, as Placement::min_cost places them; quantize_dynamic(), which takes
/// Target::dynamic_quantize once for each tensor, however many products read it, and no conversion behind; or
/// quantize_weights_blockwise() with weights of so many bits, by Target::block_costs, which takes no conversion at all.
/// The graph stays as it is. Needs Ranges, and provides ProductForms for inject_qdq() and these two, which come next.
/// What it reports as changes is how many there are.
Pass choose_forms_by_cost(const Target& target, int weight_bits = ProductForms::usual_bits);

}  // namespace graft::inline v1
