#pragma once
#include <cstdint>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  BatchNormalization(f(x, w, b?), scale, bias, mean, variance)      f: Conv, ConvTranspose or Gemm
// After:   f(x, w', b')        w'[m,...] = w[m,...] * factor[m]    b'[m] = (b[m] - mean[m]) * factor[m] + bias[m]
//                              factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// Before:  BatchNormalization(MatMul(x, w), scale, bias, mean, variance)     x: T[R, K], w: T[K, M]
// After:   Add(MatMul(x, w'), b')                                            by the rule bn_into_matmul
//
// m is the output channel of an element of w: the first axis of a Conv's w, the second axis of a ConvTranspose's w
// within its group, the columns of a product of matrices. The channels of BatchNormalization are the second axis, so a
// MatMul of x of another rank does not match.
//
// All inputs except x are constant and finite, with one value for each output channel; w' and b' are finite in the
// dtype of w. The BatchNormalization is in inference: training_mode is 0, and it has one output. A Gemm has b of rank 1
// and beta 1. w' and b' are fresh constants: a shared w stays as it is.
extern const RuleView bn_into_conv;
extern const RuleView bn_into_matmul;

namespace rules {

inline constexpr auto d = node<"d">;
inline constexpr auto first_axis = attr<"axis", std::int64_t>.named<"first_axis">();

/// The first normalized axis, counted from the back.
inline std::int64_t first_of(const Ints& over) { return -static_cast<std::int64_t>(over.size()); }
inline float as_float(const Tensor& constant) { return constant.item<float>(); }
bool are_last_axes(const Shape& whole, const Ints& over);
bool is_over_last_axes(const Value& input, const Ints& over, const Value& factors, const Value& shifts);
/// LayerNormalization computes in f32 for every dtype.
inline bool is_at_most_single(const Value& value) {
  return value.dtype() == DType::f32 || value.dtype() == DType::f16 || value.dtype() == DType::bf16;
}

/// d / Sqrt(ReduceMean(d^2) + epsilon), where d = x - ReduceMean(x).
constexpr auto standardized() {
  return over_root(op<"Sub">(x, mean_of(x)).as(d), comm<"Add">(mean_of(square_of(d.out(0))), tiny));
}

constexpr auto normalization_form() { return comm<"Add">(comm<"Mul">(standardized(), scale), bias); }

inline constexpr auto is_layer_normalization = where(
    predicate<is_at_most_single>("LayerNormalization would compute in f32")(x),
    predicate<is_over_last_axes>("the means, scale and bias are not over the same last axes")(x, axes, scale, bias));

}  // namespace rules

// Before:  d / Sqrt(ReduceMean(d^2) + epsilon) * scale + bias      d = x - ReduceMean(x)
// After:   LayerNormalization(x, scale, bias) {axis, epsilon}      since opset 17
//
// d^2 is Pow(d, 2) or Mul(d, d). The quotient may be a product with 1 / Sqrt(...), Reciprocal(Sqrt(...)) or Pow(...,
// -0.5). Sqrt may be Pow(..., 0.5). Summands and factors may have any order. Both means are over the same last axes,
// and keep them. x is f32, f16 or bf16. scale, bias and epsilon are constant. epsilon is one element; scale and bias
// have the extents of those axes.
extern const RuleView layer_normalization;

}  // namespace graft::inline v1
