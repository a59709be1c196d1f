#pragma once
#include <graft/simplify/gemm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>

namespace graft::inline v1 {
namespace rules {

inline Verdict adds_to_product(const Node& product, const Value& other) {
  const Value &first = *product.input(0), &second = *product.input(1);
  const Shape addend_shape = other.shape();
  if (!addend_shape.known() || addend_shape.rank() > 2) return Verdict::no("the addend may have rank 3 or more");
  for (std::size_t i = 0; i < addend_shape.rank(); ++i) {
    const bool is_last = i + 1 == addend_shape.rank();
    const Dim extent = addend_shape[i], wanted = is_last ? second.shape()[1] : first.shape()[0];
    const bool is_one = extent.known() && extent.value() == 1;
    if (!is_one && !same_size(extent, wanted)) return Verdict::no("the addend may broadcast the product");
  }
  return Verdict::yes();
}

inline constexpr auto matmul_add_to_gemm =
    rule<"matmul-add-to-gemm">(comm<"Add">(op<"MatMul">(floats.rank(2), y.rank(2)).as(inner), addend).since(7),
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

inline std::int64_t columns(const Tensor& weights, std::int64_t is_transposed) {
  return weights.dims()[is_transposed != 0 ? 0 : 1];
}

inline std::vector<double> channel_bias_values(const Tensor& biases, float factor) {
  std::vector<double> values = biases.to<double>();
  for (double& value : values) value *= static_cast<double>(factor);
  return values;
}

inline Verdict becomes_channel_bias(const Tensor& weights, const Tensor& biases, std::int64_t is_transposed,
                                    float factor) {
  if (weights.rank() != 2) return Verdict::no("its second factor is not a matrix");
  const std::int64_t channels = columns(weights, is_transposed);
  if (factor == 1 && biases.dims() == Dims{channels})
    return Verdict::no("its bias has one value for each channel already");
  if (!is_float(biases.dtype())) return Verdict::no("its bias is not of a float dtype");
  const bool has_rows = biases.rank() > 2 || (biases.rank() == 2 && biases.dims()[0] != 1);
  if (has_rows || (biases.size() != 1 && biases.size() != channels))
    return Verdict::no("its bias differs from row to row");
  if (factor == 1) return Verdict::yes();
  return fit(channel_bias_values(biases, factor), biases.dtype());
}

inline Tensor channel_bias(const Tensor& weights, const Tensor& biases, std::int64_t is_transposed, float factor) {
  std::vector<double> values = channel_bias_values(biases, factor);
  if (values.size() == 1) values.assign(static_cast<std::size_t>(columns(weights, is_transposed)), values[0]);
  return Tensor::list(biases.dtype(), values);
}

inline constexpr auto gemm_bias =
    rule<"gemm-bias">(op<"Gemm">(x, w, b).with(beta, trans_b).as(outer).since(7),
                      where(predicate<becomes_channel_bias>("")(w, b, trans_b, beta)),
                      outer(x, w, tensor<channel_bias>(w, b, trans_b, beta)).with(beta = 1.f));

inline bool swaps_axes(const std::optional<Ints>& order) { return !order || *order == Ints{1, 0}; }

inline std::int64_t flipped(std::int64_t is_transposed) { return is_transposed == 0 ? 1 : 0; }

inline constexpr auto swaps = predicate<swaps_axes>("its perm is not [1, 0]");

inline constexpr auto transposed = op<"Transpose">(x).with(opt(perm)).shared();

inline constexpr auto transpose_into_gemm_a =
    rule<"transpose-into-gemm-a">(op<"Gemm">(transposed, y, right).with(trans_a).as(outer), where(swaps(perm)),
                                  outer(x, y, right).with(trans_a = call<flipped>(trans_a)));

inline constexpr auto transpose_into_gemm_b =
    rule<"transpose-into-gemm-b">(op<"Gemm">(y, transposed, right).with(trans_b).as(outer), where(swaps(perm)),
                                  outer(y, x, right).with(trans_b = call<flipped>(trans_b)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView batched_matmul_add_to_gemm = rules::batched_matmul_add_to_gemm.view();

GRAFT_INLINE constinit const RuleView matmul_add_to_gemm = rules::matmul_add_to_gemm.view();

GRAFT_INLINE constinit const RuleView gemm_bias = rules::gemm_bias.view();

GRAFT_INLINE constinit const RuleView transpose_into_gemm_a = rules::transpose_into_gemm_a.view();

GRAFT_INLINE constinit const RuleView transpose_into_gemm_b = rules::transpose_into_gemm_b.view();

}  // namespace graft::inline v1
