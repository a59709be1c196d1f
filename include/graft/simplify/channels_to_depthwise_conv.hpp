#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/along_channels.hpp>
#include <graft/simplify/detail/batch_normalization.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/near_conv.hpp>

// Before:  Mul(x, c), in either order, or Div(x, c)      by the rule mul_to_depthwise_conv
// After:   Conv(x, w) {group=channels}                   w: f[channels,1,1,1]     w[m] = c[m]      or 1 / c[m]
//
// Before:  Add(x, c), in either order, or Sub(x, c)      by the rule add_to_depthwise_conv
// After:   Conv(x, 1, b) {group=channels}                b: f[channels]           b[m] = c[m]      or -c[m]
//
// x is of rank 4 and floats, its channels known; c is constant, one value for all channels or one for each: of at most
// rank 4, and 1 along every axis but the second. w and b are finite. A node makes x, and a Conv reads the result,
// behind elementwise operators and pools at most. For runtimes that compute Conv in integers: with mul_into_conv and
// add_into_conv_bias, one Conv is left of any row of these, where no other Conv takes it.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto group_of = attr<"group", std::int64_t>;

inline Tensor factor_weight(const Value& input, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels, 1, 1, 1},
                    factors_of(operation, constant, static_cast<std::size_t>(channels)));
}
inline Tensor unit_weight(const Value& input) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels, 1, 1, 1}, std::vector<double>(static_cast<std::size_t>(channels), 1));
}
inline Tensor shift_bias(const Value& input, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels}, shifts_of(operation, constant, static_cast<std::size_t>(channels)));
}
inline std::int64_t channels_of(const Value& input) { return input.shape()[1].value(); }

inline Verdict is_by_channels(const Value& input, const Node& operation, const Tensor& constant) {
  if (Verdict holds = takes_depthwise_conv(input, *operation.output(0)); !holds) return holds;
  if (Verdict holds = is_along_channels(constant, 4, channels_of(input)); !holds) return holds;
  const bool is_factor = operation.is("Mul") || operation.is("Div");
  return fit((is_factor ? factor_weight : shift_bias)(input, operation, constant).to<double>(), input.dtype());
}
inline constexpr auto by_channels = predicate<is_by_channels>("");

inline constexpr auto mul_to_depthwise_conv = rule<"mul-to-depthwise-conv">(
    scaled(x), where(by_channels(x, outer, c)),
    op<"Conv">(x, tensor<factor_weight>(x, outer, c)).with(group_of = call<channels_of>(x)));

inline constexpr auto add_to_depthwise_conv = rule<"add-to-depthwise-conv">(
    shifted(x), where(by_channels(x, outer, c)),
    op<"Conv">(x, tensor<unit_weight>(x), tensor<shift_bias>(x, outer, c)).with(group_of = call<channels_of>(x)));

}  // namespace detail::simplification

using detail::simplification::add_to_depthwise_conv;
using detail::simplification::mul_to_depthwise_conv;

}  // namespace graft::inline v1
