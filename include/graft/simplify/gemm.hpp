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

namespace graft::inline v1 {
namespace rules {

bool becomes_rows(const Value& input, const Value& weights, const Value& biases);
Ints rows_of(const Value& weights);
Ints batch_of(const Value& input, const Value& weights);

inline constexpr auto floats = x.dtype(DType::f32, DType::f64, DType::f16, DType::bf16);
inline constexpr auto batched_product_and_addend = comm<"Add">(op<"MatMul">(floats, y), addend).since(7);
inline constexpr auto is_batch_of_rows = where(
    predicate<becomes_rows>("it is no batch of known extents, or its factor or addend has other dims")(x, y, addend));
inline constexpr auto gemm_of_rows = op<"Gemm">(op<"Reshape">(x).with(shape = call<rows_of>(y)), y, addend);

}  // namespace rules

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Gemm(x, y, addend)
//
// x and y are matrices of floats, for runtimes have no Gemm of integers, at opset 7 or later. addend broadcasts to the
// product, and the product not to the addend: by known extents or equal symbols.
//
// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Reshape(Gemm(Reshape(x, [-1, K]), y, addend), [..., N])
//
// x [..., K] is of rank 3 or more, y [K, N] a matrix, and addend [N] or [1]; all extents are known, and none is 0.
extern const RuleView batched_matmul_add_to_gemm;
extern const RuleView matmul_add_to_gemm;

// Before:  Gemm(x, w, b) {beta}
// After:   Gemm(x, w, b') {beta=1}     b'[n] = beta * b[n], or beta * b[0] where b holds one value
//
// w [K, N], or [N, K] with transB, and b are constant, b of a float dtype, and every row of the product has the same
// addend: b is of dims [N], [1, N], [1, 1], [1] or []. beta * b is
// finite in the dtype of b. This is the only form that integer kernels take.
extern const RuleView gemm_bias;

// Before:  Gemm(Transpose(x), y, bias?), Gemm(y, Transpose(x), bias?)
// After:   the same Gemm of x, with the other transA or transB
//
// The Transpose may have other users, for which it stays. Its perm is [1, 0] or absent: Gemm takes matrices only.
extern const RuleView transpose_into_gemm_a;
extern const RuleView transpose_into_gemm_b;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/gemm.ipp>
#endif
