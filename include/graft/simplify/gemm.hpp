#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

struct RuleView;

namespace rules {

bool becomes_rows(const Value& input, const Value& weights, const Value& biases);
Ints rows_of(const Value& weights);
Ints batch_of(const Value& input, const Value& weights);

inline constexpr auto floats = x.dtype(DType::f32, DType::f64, DType::f16, DType::bf16);
inline constexpr auto batched_product_and_addend = comm<"Add">(op<"MatMul">(floats, y), addend).since(7);
inline constexpr auto is_batch_of_rows = where(
    predicate<becomes_rows>("x is not a batch of known extents, or y or the addend has other dims")(x, y, addend));
inline constexpr auto gemm_of_rows = op<"Gemm">(op<"Reshape">(x).with(shape = call<rows_of>(y)), y, addend);

}  // namespace rules

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Gemm(x, y, addend)
//
// x and y are matrices of floats: runtimes have no Gemm of integers. Opset 7 or later. Known extents or equal symbols
// show that addend broadcasts to the product, and that the product keeps its shape.
extern const RuleView matmul_add_to_gemm;

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Reshape(Gemm(Reshape(x, [-1, K]), y, addend), [..., N])
//
// x [..., K] has rank 3 or more, y [K, N] is a matrix, and addend is [N] or [1]. All extents are known and not 0.
extern const RuleView batched_matmul_add_to_gemm;

// Before:  Gemm(x, w, b) {beta}
// After:   Gemm(x, w, b') {beta=1}     b'[n] = beta * b[n], or beta * b[0] where b holds one value
//
// w [K, N] (or [N, K] with transB) and b are constant, and b is of a float dtype. All rows of the product have the same
// addend: b has dims [N], [1, N], [1, 1], [1] or []. beta * b is finite in the dtype of b. Integer kernels require this
// form.
extern const RuleView gemm_bias;

// Before:  Gemm(Transpose(x), y, bias?), Gemm(y, Transpose(x), bias?)
// After:   the same Gemm of x, with the other transA or transB
//
// The Transpose stays if it has other readers. Its perm is [1, 0] or absent: Gemm takes matrices only.
extern const RuleView transpose_into_gemm_a;
extern const RuleView transpose_into_gemm_b;

}  // namespace graft::inline v1
