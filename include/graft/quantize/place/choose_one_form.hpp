#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses one form for every product, MatMul and Gemm by constants, that takes less time so than in
/// float, by the target's costs: dynamic, or weight-only with 8 bits. Convolutions alone are left to Q/DQ pairs. The
/// graph stays as it is. Provides ProductForms for inject_qdq(), quantize_dynamic() and quantize_weights_blockwise(),
/// which come next. What it reports as changes is how many there are. Throws Error for other forms.
Pass choose_one_form(const Target& target, ProductForm form);

}  // namespace graft::inline v1
