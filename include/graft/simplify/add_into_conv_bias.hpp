#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/weighted.hpp>

// Before:  Add(f(x, w, b?), c), in either order, or Sub(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w, b')                   b'[m] = b[m] + c[m]      or - c[m]
//
// w, b and c are constant floats. c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but that of the channels, the second. b of a Gemm is of rank 1, and beta 1.
// b' is finite in its dtype.

namespace graft::inline v1 {
namespace detail::simplification {

inline std::vector<double> added_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                        const Node& operation, const Tensor& constant) {
  const std::size_t channels = WeightChannels(product, weights.dims()).outputs();
  const std::vector<double> shifts = shifts_of(operation, constant, channels);
  std::vector<double> numbers = given_biases(old, channels);
  for (std::size_t m = 0; m < channels; ++m) numbers[m] += shifts[m];
  return numbers;
}

inline Verdict shifts_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                              const Node& operation, const Tensor& constant) {
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), outputs); !holds) return holds;
  return fit(added_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor added_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                         const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = added_biases(product, weights, old, operation, constant);
  return Tensor::of(weights.dtype(), {static_cast<std::int64_t>(numbers.size())}, numbers);
}

inline constexpr auto add_into_conv_bias =
    rule<"add-into-conv-bias">(shifted(weighted(x)), where(predicate<shifts_outputs>("")(conv, w, b, outer, c)),
                               conv(x, w, tensor<added_bias>(conv, w, b, outer, c)));

}  // namespace detail::simplification

using detail::simplification::add_into_conv_bias;

}  // namespace graft::inline v1
