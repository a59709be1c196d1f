#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/vocabulary/captures.hpp>

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Gemm(x, y, addend)
//
// x and y are matrices of a dtype that Gemm has at the graph's opset, 7 or later. addend broadcasts to the product, and
// the product not to the addend: by known extents or equal symbols.
//
// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Reshape(Gemm(Reshape(x, [-1, K]), y, addend), [..., N])
//
// x [..., K] is of rank 3 or more, y [K, N] a matrix, and addend [N] or [1]; all extents are known, and none is 0.

namespace graft::inline v1 {
namespace vocabulary {

bool becomes_rows(const Value& input, const Value& weights, const Value& biases);
Ints rows_of(const Value& weights);
Ints batch_of(const Value& input, const Value& weights);

inline constexpr auto batched_product_and_addend = comm<"Add">(op<"MatMul">(x, y), addend).since(7);
inline constexpr auto is_batch_of_rows = where(
    predicate<becomes_rows>("it is no batch of known extents, or its factor or addend has other dims")(x, y, addend));
inline constexpr auto gemm_of_rows = op<"Gemm">(op<"Reshape">(x).with(shape = call<rows_of>(y)), y, addend);

}  // namespace vocabulary

extern const RuleView batched_matmul_add_to_gemm;
extern const RuleView matmul_add_to_gemm;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/matmul_add_to_gemm.ipp>
#endif
