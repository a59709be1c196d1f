#pragma once
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/weighted.hpp>

// Before:  f(Add(x, c), w, b?), the summands in either order, or f(Sub(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w, b')             b'[m] = b[m] + alpha * the sum over i,... of w[m,i,...] * c[i]      or b[m] - ...
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. A Conv pads nothing: c is
// not added to padding. b' is finite in its dtype. Of a Gemm beta is 1 and transA 0.

namespace graft::inline v1 {
namespace detail::simplification {

inline std::vector<double> shifted_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                          const Node& operation, const Tensor& constant) {
  return input_shifted(product, weights, old,
                       shifts_of(operation, constant, WeightChannels(product, weights.dims()).inputs()));
}

inline Verdict shifts_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  return fit(shifted_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor shifted_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                           const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = shifted_biases(product, weights, old, operation, constant);
  return Tensor::of(weights.dtype(), {static_cast<std::int64_t>(numbers.size())}, numbers);
}

inline constexpr auto add_before_conv = rule<"add-before-conv">(
    weighted(shifted(x)),
    where(no_padding(conv), predicate<shifts_inputs>("")(x, conv, w, b, outer, c)),
    conv(x, w, tensor<shifted_bias>(conv, w, b, outer, c)));

}  // namespace detail::simplification

using detail::simplification::add_before_conv;

}  // namespace graft::inline v1
