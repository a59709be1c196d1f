#pragma once
#include <graft/lower/batched_matmul_add_relu_to_gemm.hpp>

#include <graft/config.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/matmul_add_to_gemm.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto batched_matmul_add_relu_to_gemm =
    rule<"batched-matmul-add-relu-to-gemm">(op<"Relu">(batched_product_and_addend), is_batch_of_rows,
                                            op<"Reshape">(op<"Relu">(gemm_of_rows)).with(shape = call<batch_of>(x, y)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView batched_matmul_add_relu_to_gemm =
    vocabulary::batched_matmul_add_relu_to_gemm.view();

GRAFT_INLINE Pass matmul_adds_to_gemms() {
  // The Add comes before its Relu, so the sweep that takes it alone goes second.
  return on_typed_graph("matmul_adds_to_gemms",
                        sweep(batched_matmul_add_relu_to_gemm) | sweep(matmul_add_to_gemm, batched_matmul_add_to_gemm));
}

}  // namespace graft::inline v1
