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

GRAFT_INLINE bool becomes_rows(const Value& input, const Value& weights, const Value& biases) {
  const auto dims = input.shape().dims(), matrix = weights.shape().dims(), added = biases.shape().dims();
  if (!dims || !matrix || !added || dims->size() < 3 || matrix->size() != 2 || added->size() != 1) return false;
  if (std::find(dims->begin(), dims->end(), 0) != dims->end() || (*matrix)[1] == 0) return false;
  return (*added)[0] == 1 || (*added)[0] == (*matrix)[1];
}

GRAFT_INLINE Ints rows_of(const Value& weights) { return {-1, (*weights.shape().dims())[0]}; }

GRAFT_INLINE Ints batch_of(const Value& input, const Value& weights) {
  Ints dims = *input.shape().dims();
  dims.back() = (*weights.shape().dims())[1];
  return dims;
}

inline constexpr auto batched_matmul_add_to_gemm = rule<"batched-matmul-add-to-gemm">(
    batched_product_and_addend, is_batch_of_rows, op<"Reshape">(gemm_of_rows).with(shape = call<batch_of>(x, y)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView batched_matmul_add_to_gemm = vocabulary::batched_matmul_add_to_gemm.view();

GRAFT_INLINE constinit const RuleView matmul_add_to_gemm = vocabulary::matmul_add_to_gemm.view();

}  // namespace graft::inline v1
