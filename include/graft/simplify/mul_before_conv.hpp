#pragma once
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/weighted.hpp>

// Before:  f(Mul(x, c), w, b?), the factors in either order, or f(Div(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w', b?)             w'[m,i,...] = w[m,i,...] * c[i]      or / c[i], i counted through the groups
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. w' is finite in its dtype,
// and fresh: a shared w stays as it is. Of a Gemm beta is 1 and transA 0. Padding is 0, multiplied or not.

namespace graft::inline v1 {
namespace detail::simplification {

inline Tensor input_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                                  const Tensor& constant) {
  const WeightChannels channels(product, weights.dims());
  return Tensor::of(weights.dtype(), weights.dims(),
                    input_scaled(product, weights, factors_of(operation, constant, channels.inputs())));
}

inline Verdict scales_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  const std::size_t inputs = WeightChannels(product, weights.dims()).inputs();
  return fit(input_scaled(product, weights, factors_of(operation, constant, inputs)), weights.dtype());
}

inline constexpr auto mul_before_conv =
    rule<"mul-before-conv">(weighted(scaled(x)),
                            where(predicate<scales_inputs>("")(x, conv, w, b, outer, c)),
                            conv(x, tensor<input_scaled_weight>(conv, w, outer, c), opt(b)));

}  // namespace detail::simplification

using detail::simplification::mul_before_conv;

}  // namespace graft::inline v1
