#pragma once
#include <graft/simplify/fuse/matmul_add_to_gemm.hpp>

#include <algorithm>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict adds_to_product(const Node& product, const Value& other) {
  const Value &first = *product.input(0), &second = *product.input(1);
  const Shape addend_shape = other.shape();
  if (!addend_shape.known() || addend_shape.rank() > 2) return Verdict::no("the addend may be of more than rank 2");
  for (std::size_t i = 0; i < addend_shape.rank(); ++i) {
    const bool is_last = i + 1 == addend_shape.rank();
    const Dim extent = addend_shape[i], wanted = is_last ? second.shape()[1] : first.shape()[0];
    const bool is_one = extent.known() && extent.value() == 1;
    if (!is_one && !same_size(extent, wanted)) return Verdict::no("the addend may broadcast the product");
  }
  return Verdict::yes();
}

inline constexpr auto matmul_add_to_gemm =
    rule<"matmul-add-to-gemm">(comm<"Add">(op<"MatMul">(x.rank(2), y.rank(2)).as(inner), addend).since(7),
                               where(predicate<adds_to_product>("")(inner, addend)), op<"Gemm">(x, y, addend));

inline bool becomes_rows(const Value& input, const Tensor& weights, const Tensor& biases) {
  const auto dims = input.shape().dims();
  return dims && dims->size() > 2 && std::find(dims->begin(), dims->end(), 0) == dims->end() && weights.rank() == 2 &&
         weights.dims()[1] != 0 && biases.dims() == Dims{weights.dims()[1]};
}

inline Ints rows_of(const Tensor& weights) { return {-1, weights.dims()[0]}; }

inline Ints batch_of(const Value& input, const Tensor& weights) {
  Ints dims = *input.shape().dims();
  dims.back() = weights.dims()[1];
  return dims;
}

inline constexpr auto batched_matmul_add_to_gemm = rule<"batched-matmul-add-to-gemm">(
    comm<"Add">(op<"MatMul">(x, w), b).since(7),
    where(predicate<becomes_rows>("it is no batch of known extents, or its factor or addend has other dims")(x, w, b)),
    op<"Reshape">(op<"Gemm">(op<"Reshape">(x).with(shape = call<rows_of>(w)), w, b))
        .with(shape = call<batch_of>(x, w)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView batched_matmul_add_to_gemm = vocabulary::batched_matmul_add_to_gemm.view();

GRAFT_INLINE constinit const RuleView matmul_add_to_gemm = vocabulary::matmul_add_to_gemm.view();

}  // namespace graft::inline v1
