#pragma once
#include <cstdint>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/vocabulary/captures.hpp>

// Before:  d / Sqrt(ReduceMean(d^2) + epsilon) * scale + bias      d = x - ReduceMean(x)
// After:   LayerNormalization(x, scale, bias) {axis, epsilon}      since opset 17
//
// d^2 is Pow(d, 2) or Mul(d, d); summands and factors stand in any order. Both means are over the same last axes, which
// they keep. x is f32, f16 or bf16. scale, bias and epsilon are constant: epsilon one element, the other two of the
// extents of those axes.

namespace graft::inline v1 {
namespace vocabulary {

inline constexpr auto d = node<"d">;
inline constexpr auto two = cst<"two">.scalar().all_equal(2);
inline constexpr auto tiny = cst<"eps">.scalar();

constexpr auto mean_of(const pattern auto& p) { return op<"ReduceMean">(p).with(axes, keepdims == 1); }

bool is_over_last_axes(const Value& input, const Ints& over, const Value& factors, const Value& shifts);
/// LayerNormalization computes in f32, whatever it is given.
inline bool is_at_most_single(const Value& value) {
  return value.dtype() == DType::f32 || value.dtype() == DType::f16 || value.dtype() == DType::bf16;
}

inline constexpr auto squared = either(op<"Pow">(d.out(0), two), op<"Mul">(d.out(0), d.out(0)));

inline constexpr auto normalization_form =
    comm<"Add">(comm<"Mul">(op<"Div">(op<"Sub">(x, mean_of(x)).as(d), op<"Sqrt">(comm<"Add">(mean_of(squared), tiny))),
                            scale),
                bias);

inline constexpr auto is_layer_normalization =
    where(predicate<is_at_most_single>("LayerNormalization would compute in f32")(x),
          predicate<is_over_last_axes>("the means, scale and bias are not over the same last axes")(x, axes, scale,
                                                                                                    bias));

}  // namespace vocabulary

extern const RuleView layer_normalization;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/layer_normalization.ipp>
#endif
