#pragma once
#include <graft/qonnx/cleanup/batch_norm_to_affine.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict is_affine(const Value& input, const Tensor& scales, const Tensor& biases, const Tensor& means,
                         const Tensor& variances, float eps) {
  if (input.shape().rank() < 2) return Verdict::no("the rank of its input is not known");
  if (input.dtype() != scales.dtype()) return Verdict::no("its input has another dtype than its scale");
  if (scales.rank() != 1 || !are_per_channel({&biases, &means, &variances}, scales.size()))
    return Verdict::no("the statistics are not one value for each channel");
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  if (Verdict finite = are_finite(factors, biases, means); !finite) return finite;
  if (Verdict holds = fit(factors, scales.dtype()); !holds) return holds;
  return fit(channel_biases(factors, biases, means), scales.dtype());
}

inline Tensor affine_operand(const Value& input, const Tensor& like, const std::vector<double>& numbers) {
  Dims dims(input.shape().rank(), 1);
  dims[1] = static_cast<std::int64_t>(numbers.size());
  return Tensor::of(like.dtype(), dims, numbers);
}

inline Tensor affine_factor(const Value& input, const Tensor& scales, const Tensor& variances, float eps) {
  return affine_operand(input, scales, channel_factors(scales, variances, eps));
}

inline Tensor affine_bias(const Value& input, const Tensor& scales, const Tensor& biases, const Tensor& means,
                          const Tensor& variances, float eps) {
  return affine_operand(input, scales, channel_biases(channel_factors(scales, variances, eps), biases, means));
}

inline constexpr auto batch_norm_to_affine =
    rule<"batch-norm-to-affine">(batch_normalization(x),
                                 where(predicate<has_one_output>("it has the outputs of training_mode")(bn),
                                       predicate<is_affine>("")(x, scale, bias, mean, variance, epsilon)),
                                 op<"Add">(op<"Mul">(x, tensor<affine_factor>(x, scale, variance, epsilon)),
                                           tensor<affine_bias>(x, scale, bias, mean, variance, epsilon)));

}  // namespace vocabulary

namespace qonnx {

GRAFT_INLINE constinit const RuleView batch_norm_to_affine = vocabulary::batch_norm_to_affine.view();

GRAFT_INLINE Pass batch_norms_to_affine() {
  return on_typed_graph("batch_norms_to_affine", sweep(batch_norm_to_affine));
}

}  // namespace qonnx

}  // namespace graft::inline v1
