#pragma once
#include <graft/lower/decompose_fused_products.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass decompose_fused_products() {
  return on_typed_graph("decompose_fused_products",
                        sweep(decompose_fused_matmul, decompose_fused_conv, decompose_fused_gemm));
}

}  // namespace graft::inline v1
