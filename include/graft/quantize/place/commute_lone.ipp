#pragma once
#include <graft/quantize/place/commute_lone.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/commutation.hpp>
#include <graft/quantize/place/detail/commute_captures.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::commute {

inline bool is_lone(const Node& dequantize) {
  const Node* const producer = dequantize.input(0)->producer();
  return (producer == nullptr || !is_quantize(*producer)) && qparams_of(dequantize).has_value();
}

inline bool is_unsigned_from_0(const Node& dequantize) {
  const std::optional<QParams> params = qparams_of(dequantize);
  return params && is_unsigned_integer(params->dtype) && params->zero_point == 0;
}

inline bool is_signed_around_0(const Node& dequantize) {
  const std::optional<QParams> params = qparams_of(dequantize);
  return params && is_signed_integer(params->dtype) && params->zero_point == 0;
}

/// The quantized number nearest to a value, as a scalar of the dtype.
inline Tensor nearest(const QParams& params, float value) {
  const double steps = round_half_even(static_cast<double>(value) / params.scale) + params.zero_point;
  const double kept = std::clamp<double>(steps, params.lowest(), params.highest());
  return Tensor::of<std::int32_t>(params.dtype, {}, {static_cast<std::int32_t>(kept)});
}

inline std::optional<Tensor> quantized_0(const Node& dequantize) { return nearest(*qparams_of(dequantize), 0); }

inline std::optional<Tensor> quantized_min(const Node& dequantize, const Node& clip_node) {
  const std::optional<Range> limits = bounds(clip_node);
  return limits ? std::optional(nearest(*qparams_of(dequantize), limits->min)) : std::nullopt;
}

inline std::optional<Tensor> quantized_max(const Node& dequantize, const Node& clip_node) {
  const std::optional<Range> limits = bounds(clip_node);
  return limits ? std::optional(nearest(*qparams_of(dequantize), limits->max)) : std::nullopt;
}

/// Whether values move by no more than rounding the bounds to integers makes them.
inline bool reaches_bounds(const Node& dequantize, const Node& clip_node) {
  return commutation_bound(clip_node, *qparams_of(dequantize)) <= static_cast<double>(activation(clip_node)->rounding);
}

inline bool computes(std::string_view op_type, const Node& dequantize, const Target& runtime) {
  const DType dtype = quantized_dtype(dequantize);
  for (const IntegerOperator& entry : runtime.integer_operators)
    if (entry.op == op_type && std::find(entry.dtypes.begin(), entry.dtypes.end(), dtype) != entry.dtypes.end())
      return true;
  return false;
}

inline bool computes_relu(const Node& dequantize, const Target& runtime) {
  return computes("Relu", dequantize, runtime);
}

inline bool computes_clip(const Node& dequantize, const Target& runtime) {
  return computes("Clip", dequantize, runtime);
}

inline bool computes_movement(const Node& movement, const Node& dequantize, const Target& runtime) {
  return computes(movement.op_type(), dequantize, runtime);
}

inline constexpr auto lone =
    predicate<is_lone>("a QuantizeLinear stands before it, or its q-params are not constant scalars");

inline constexpr auto dequantized_q = op<"DequantizeLinear">(q, s, opt(z)).as(dq);

inline constexpr auto past_no_relu = rule<"commute-dq-past-relu-unsigned">(
    op<"Relu">(dequantized_q),
    where(lone(dq), predicate<is_unsigned_from_0>("its dtype and zero point allow less than 0")(dq)), dq(q, s, opt(z)));

inline constexpr auto past_signed_relu = rule<"commute-dq-past-relu-signed">(
    op<"Relu">(dequantized_q).since(14),
    where(lone(dq), predicate<is_signed_around_0>("its zero is not a signed 0")(dq),
          predicate<computes_relu>("the target has no Relu of that dtype")(dq, target)),
    dq(op<"Relu">(q), s, opt(z)));

inline constexpr auto has_clip = predicate<computes_clip>("the target has no Clip of that dtype");

inline constexpr auto past_relu =
    rule<"commute-dq-past-relu">(op<"Relu">(dequantized_q).since(12), where(lone(dq), has_clip(dq, target)),
                                 dq(op<"Clip">(q, tensor<quantized_0>(dq)), s, opt(z)));

inline constexpr auto past_clip =
    rule<"commute-dq-past-clip">(
        op<"Clip">(dequantized_q, where_to).as(clip).since(12),
        where(lone(dq), has_clip(dq, target),
              predicate<reaches_bounds>("its bounds are not constant, or beyond what the integers reach")(dq, clip)),
        dq(op<"Clip">(q, tensor<quantized_min>(dq, clip), tensor<quantized_max>(dq, clip)), s, opt(z)))
        .changes_values("half a step of the scale, at the bounds");

inline constexpr auto past_movement = rule<"commute-dq-past-movement">(
    one_of<"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather", "Expand", "Tile", "Identity",
           "DepthToSpace", "SpaceToDepth">(dequantized_q, where_to)
        .as(move),
    where(lone(dq),
          predicate<computes_movement>("the target does not compute it in that dtype")(move, dq, target)),
    dq(move(q, where_to), s, opt(z)));

}  // namespace detail::commute

namespace commute {

GRAFT_INLINE constinit const RuleView past_clip = detail::commute::past_clip.view();

GRAFT_INLINE constinit const RuleView past_movement = detail::commute::past_movement.view();

GRAFT_INLINE constinit const RuleView past_no_relu = detail::commute::past_no_relu.view();

GRAFT_INLINE constinit const RuleView past_relu = detail::commute::past_relu.view();

GRAFT_INLINE constinit const RuleView past_signed_relu = detail::commute::past_signed_relu.view();

}  // namespace commute

}  // namespace graft::inline v1
