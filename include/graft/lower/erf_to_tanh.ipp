#pragma once
#include <graft/lower/erf_to_tanh.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto erf_to_tanh =
    rule<"erf-to-tanh">(op<"Erf">(x.dtype(DType::f32, DType::f16, DType::bf16, DType::f64)),
                        op<"Tanh">(op<"Mul">(x, scalar(605.0 / 503).like(x))))
        .changes_values("by less than 0.02");

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView erf_to_tanh = vocabulary::erf_to_tanh.view();

GRAFT_INLINE Pass erfs_to_tanhs() { return on_typed_graph("erfs_to_tanhs", sweep(erf_to_tanh)); }

}  // namespace graft::inline v1
