#pragma once
#include <graft/lower/channels_to_depthwise_conv.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView add_to_depthwise_conv = vocabulary::add_to_depthwise_conv.view();

GRAFT_INLINE constinit const RuleView mul_to_depthwise_conv = vocabulary::mul_to_depthwise_conv.view();

}  // namespace graft::inline v1
