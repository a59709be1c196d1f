#pragma once
#include <graft/simplify/fuse/reshape_gemm_reshape.hpp>

#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto product_bias = val<"product_bias">;

inline constexpr auto gemm_alpha = attr<"alpha", float>;

inline constexpr auto transposes_b = attr<"transB", std::int64_t>;

/// Whether `wide` is `flat` with its rows in the batch of x: [..., N] from [rows, N].
inline Verdict is_batched_product(const Value& input, const Node& product, const Node& back, const Value* addend_of,
                                  std::int64_t is_transposed) {
  const Shape from = input.shape(), rows = product.input(0)->shape(), factor = product.input(1)->shape();
  const Shape into = back.output(0)->shape();
  if (!from.known() || !rows.known() || !factor.known() || !into.known()) return Verdict::no("a rank is not known");
  if (from.rank() < 2 || rows.rank() != 2 || factor.rank() != 2 || into.rank() != from.rank())
    return Verdict::no("it does not bring back the rank");
  const std::size_t last = from.rank() - 1;
  const Dim columns = factor[is_transposed == 0 ? 1 : 0];
  if (!same_size(from[last], rows[1]) || !same_size(into[last], columns)) return Verdict::no("the last dims differ");
  for (std::size_t i = 0; i < last; ++i)
    if (!same_size(from[i], into[i])) return Verdict::no("it does not bring back the dims");
  if (is_transposed != 0 && !product.input(1)->is_constant())
    return Verdict::no("the transposed factor is no constant");
  if (addend_of == nullptr) return Verdict::yes();
  const Shape added = addend_of->shape();
  const bool has_rows = !added.known() || added.rank() > 2 || (added.rank() == 2 && !same_size(added[0], Dim(1)));
  return has_rows ? Verdict::no("the bias may differ from row to row") : Verdict::yes();
}

inline Tensor transposed_matrix(const Tensor& matrix) {
  const auto height = static_cast<std::size_t>(matrix.dims()[0]), width = static_cast<std::size_t>(matrix.dims()[1]);
  const std::size_t size = bits(matrix.dtype()) / 8;
  Tensor result(matrix.dtype(), {matrix.dims()[1], matrix.dims()[0]});
  const auto from = matrix.bytes();
  const auto into = result.mutable_bytes();
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t k = 0; k < size; ++k) into[(j * height + i) * size + k] = from[(i * width + j) * size + k];
  return result;
}

inline constexpr auto reshape_gemm_reshape = rule<"reshape-gemm-reshape">(
    op<"Reshape">(op<"Gemm">(reshaping(x), y, opt(product_bias))
                      .with(gemm_alpha == 1.f, beta == 1.f, transposes_b, attr<"transA", std::int64_t> == 0)
                      .as(inner)
                      .since(7),
                  rest<>)
        .with(opt(allowzero))
        .as(outer),
    where(predicate<is_batched_product>("")(x, inner, outer, product_bias, transposes_b)),
    [](const auto& m, Rewriter& rewriter) {
      Value* factor = &m[y];
      if (m[transposes_b] != 0) factor = &rewriter.constant(transposed_matrix(*factor->constant()), factor->name());
      Value* result = &rewriter.op("MatMul", {&m[x], factor});
      if (m[product_bias] != nullptr) result = &rewriter.op("Add", {result, m[product_bias]});
      return rewriter.replace(*m[outer].output(0), *result);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView reshape_gemm_reshape = vocabulary::reshape_gemm_reshape.view();

}  // namespace graft::inline v1
