#pragma once
#include <graft/qonnx/cleanup/arithmetic.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

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

}  // namespace rules

namespace qonnx {

GRAFT_INLINE constinit const RuleView batch_norm_to_affine = rules::batch_norm_to_affine.view();

GRAFT_INLINE Pass batch_norms_to_affine() {
  return on_typed_graph("batch_norms_to_affine", sweep(batch_norm_to_affine));
}

}  // namespace qonnx

namespace rules {

inline Tensor reciprocals(const Tensor& constant) {
  std::vector<double> values = constant.to<double>();
  for (double& value : values) value = 1 / value;
  return Tensor::of(constant.dtype(), constant.dims(), values);
}

/// The greatest exponent of a number whose reciprocal is normal.
inline int greatest_exponent(DType dtype) { return dtype == DType::f16 ? 14 : dtype == DType::f64 ? 1022 : 126; }

inline Verdict are_powers_of_two(const Tensor& constant) {
  for (const double value : constant.to<double>()) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    if (std::fabs(fraction) != 0.5) return Verdict::no("a divisor is not a power of two");
    if (std::abs(exponent - 1) > greatest_exponent(constant.dtype()))
      return Verdict::no("the reciprocal of a divisor is not a normal number");
  }
  return Verdict::yes();
}

inline Verdict have_reciprocals(const Tensor& constant) {
  const Tensor results = reciprocals(constant);
  for (const double value : results.to<double>())
    if (!std::isfinite(value) || value == 0) return Verdict::no("the reciprocal of a divisor is not finite, or 0");
  return Verdict::yes();
}

inline constexpr auto divisor = c.dtype(DType::f32, DType::f16, DType::bf16, DType::f64);

inline constexpr auto div_to_mul =
    rule<"div-to-mul">(op<"Div">(x, divisor).as(outer), where(predicate<are_powers_of_two>("")(c)),
                       op<"Mul">(x, tensor<reciprocals>(c)).like(outer));

inline constexpr auto div_to_mul_rounded =
    rule<"div-to-mul-rounded">(op<"Div">(x, divisor).as(outer), where(predicate<have_reciprocals>("")(c)),
                               op<"Mul">(x, tensor<reciprocals>(c)).like(outer))
        .changes_values("one unit in the last place");

}  // namespace rules

namespace qonnx {

GRAFT_INLINE constinit const RuleView div_to_mul = rules::div_to_mul.view();

GRAFT_INLINE constinit const RuleView div_to_mul_rounded = rules::div_to_mul_rounded.view();

GRAFT_INLINE Pass divs_to_muls(bool exact) {
  return on_typed_graph("divs_to_muls", exact ? sweep(div_to_mul) : sweep(div_to_mul, div_to_mul_rounded));
}

}  // namespace qonnx

namespace rules {

/// The least integer keeps its value when negated, and so does the sum, because both wrap around.
inline Tensor negated(const Tensor& constant) {
  if (is_float(constant.dtype())) {
    std::vector<double> values = constant.to<double>();
    for (double& value : values) value = -value;
    return Tensor::of(constant.dtype(), constant.dims(), values);
  }
  std::vector<std::int64_t> values = constant.to<std::int64_t>();
  const std::int64_t least = constant.dtype() == DType::i32 ? INT32_MIN : INT64_MIN;
  for (std::int64_t& value : values)
    if (value != least) value = -value;
  return Tensor::of(constant.dtype(), constant.dims(), values);
}

inline constexpr auto sub_to_add = rule<"sub-to-add">(
    op<"Sub">(x, c.dtype(DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64)).as(outer),
    op<"Add">(x, tensor<negated>(c)).like(outer));

}  // namespace rules

namespace qonnx {

GRAFT_INLINE constinit const RuleView sub_to_add = rules::sub_to_add.view();

GRAFT_INLINE Pass subs_to_adds() { return on_typed_graph("subs_to_adds", sweep(sub_to_add)); }

GRAFT_INLINE Pass extract_bias() {
  return detail::node_sweep("extract_bias", [](Node& node, Rewriter& rewriter) {
    if ((!node.is("Conv") && !node.is("ConvTranspose")) || node.input(2) == nullptr) return detail::not_concerned();
    const std::size_t rank = std::max(node.input(1)->shape().rank(), node.output(0)->shape().rank());
    if (rank < 3) return Verdict::no("its rank is not known");
    Value& bias = *node.input(2);
    Value& product = *rewriter.clone(node, {node.input(0), node.input(1)}).output(0);
    Value& sum = rewriter.op("Add", {&product, &detail::bias_operand(bias, rank, rewriter)});
    return rewriter.replace(*node.output(0), sum);
  });
}

}  // namespace qonnx

}  // namespace graft::inline v1
