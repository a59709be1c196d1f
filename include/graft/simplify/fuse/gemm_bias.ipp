#pragma once
#include <graft/simplify/fuse/gemm_bias.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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
  if (weights.rank() != 2) return Verdict::no("its second factor is no matrix");
  const std::int64_t channels = columns(weights, is_transposed);
  if (factor == 1 && biases.dims() == Dims{channels}) return Verdict::no("it has a value for each channel already");
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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView gemm_bias = vocabulary::gemm_bias.view();

}  // namespace graft::inline v1
