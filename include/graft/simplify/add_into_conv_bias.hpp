#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Add(Conv(x, w, b?), c)        in either order
// After:   Conv(x, w, b')                b'[m] = b[m] + c[m]
//
// w, b and c are constant. c is one value for all channels or one for each: of at most the rank of the result, and 1
// along every axis but that of the channels, the second.

namespace graft::inline v1 {
namespace detail::simplification {

inline Verdict is_along_channels(const Tensor& weights, const Tensor& constant) {
  if (constant.rank() > weights.rank()) return Verdict::no("the addend raises the rank");
  const std::size_t missing = weights.rank() - constant.rank();
  for (std::size_t i = 0; i < constant.rank(); ++i) {
    const bool is_channels = i + missing == 1;
    if (constant.dims()[i] != 1 && !(is_channels && constant.dims()[i] == weights.dims()[0]))
      return Verdict::no("the addend is not one value for each output channel");
  }
  return Verdict::yes();
}

inline Tensor added_bias(const Tensor& weights, const std::optional<Tensor>& old, const Tensor& constant) {
  const auto channels = static_cast<std::size_t>(weights.dims()[0]);
  const std::vector<double> added = constant.to<double>();
  std::vector<double> numbers = old ? old->to<double>() : std::vector<double>(channels);
  for (std::size_t m = 0; m < channels; ++m) numbers[m] += added[added.size() == 1 ? 0 : m];
  return Tensor::of(weights.dtype(), {weights.dims()[0]}, numbers);
}

inline constexpr auto add_into_conv_bias =
    rule<"add-into-conv-bias">(comm<"Add">(op<"Conv">(x, w, opt(b)).as(conv), c),
                               where(predicate<is_along_channels>("")(w, c)), conv(x, w, tensor<added_bias>(w, b, c)));

}  // namespace detail::simplification

using detail::simplification::add_into_conv_bias;

}  // namespace graft::inline v1
