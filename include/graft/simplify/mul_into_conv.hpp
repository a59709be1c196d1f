#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/weighted.hpp>

// Before:  Mul(f(x, w, b?), c), in either order, or Div(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w', b'?)              w'[m,...] = w[m,...] * c[m]    b'[m] = b[m] * c[m]      or / c[m]
//
// w, b and c are constant floats; c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but the second. w' and b' are finite in their dtype, and fresh: a shared w stays as it
// is. b of a Gemm is of rank 1, and beta 1.

namespace graft::inline v1 {
namespace detail::simplification {

inline std::vector<double> output_scaled(const Node& product, const Tensor& weights, const Node& operation,
                                         const Tensor& constant) {
  const WeightChannels channels(product, weights.dims());
  const std::vector<double> factors = factors_of(operation, constant, channels.outputs());
  std::vector<double> numbers = weights.to<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= factors[channels.output(i)];
  return numbers;
}

inline Tensor output_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                                   const Tensor& constant) {
  return Tensor::of(weights.dtype(), weights.dims(), output_scaled(product, weights, operation, constant));
}

inline Tensor output_scaled_bias(const Tensor& old, const Node& operation, const Tensor& constant) {
  const std::vector<double> factors = factors_of(operation, constant, static_cast<std::size_t>(old.size()));
  std::vector<double> numbers = old.to<double>();
  for (std::size_t m = 0; m < numbers.size(); ++m) numbers[m] *= factors[m];
  return Tensor::of(old.dtype(), old.dims(), numbers);
}

inline Verdict scales_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                              const Node& operation, const Tensor& constant) {
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), outputs); !holds) return holds;
  const Verdict holds = fit(output_scaled(product, weights, operation, constant), weights.dtype());
  if (!holds || !old) return holds;
  return fit(output_scaled_bias(*old, operation, constant).to<double>(), old->dtype());
}

inline constexpr auto mul_into_conv = rule<"mul-into-conv">(
    scaled(weighted(x)), where(predicate<scales_outputs>("")(conv, w, b, outer, c)),
    conv(x, tensor<output_scaled_weight>(conv, w, outer, c), opt(tensor<output_scaled_bias>(b, outer, c))));

}  // namespace detail::simplification

using detail::simplification::mul_into_conv;

}  // namespace graft::inline v1
