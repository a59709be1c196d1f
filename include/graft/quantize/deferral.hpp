#pragma once
#include <algorithm>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/bounds.hpp>
#include <graft/quantize/inside.hpp>
#include <graft/quantize/qparams.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

namespace detail {

/// The signed or unsigned dtype of the same width.
inline DType with_sign(DType dtype, bool is_signed) {
  if (bits(dtype) == 16) return is_signed ? DType::i16 : DType::u16;
  return is_signed ? DType::i8 : DType::u8;
}

}  // namespace detail

/// How the target fuses this node as an activation; nullptr if it does not.
inline const FusedActivation* fused_activation(const Node& node, const Target& target) {
  for (const FusedActivation& entry : target.activations) {
    const OpName name = OpName::parse(entry.op);
    if (node.is(name.op_type, name.domain)) return &entry;
  }
  return nullptr;
}

/// By how much what q can represent reaches beyond the bounds, in float32; 0 or less if it does not.
inline float overhang(const QParams& q, const Range& limits) {
  const Range held = q.range();
  return std::max(limits.min - held.min, held.max - limits.max);
}

/// Whether the activation vanishes into an integer kernel before it, if a QuantizeLinear with these q-params stands
/// behind it. The reason's code is "activation_unsupported" or "activation_not_redundant", the latter's number the
/// overhang in values.
inline Verdict deferrable(const Node& node, const QParams& q, const Target& target) {
  const FusedActivation* const entry = fused_activation(node, target);
  if (entry == nullptr)
    return Verdict::no({"the target does not fuse this activation", "activation_unsupported", {}, 0});
  if (entry->when == Fuses::always) return Verdict::yes();
  const std::optional<Range> limits = bounds(node);
  if (!limits) return Verdict::no({"its bounds are not constant", "activation_not_redundant", {}, 0});
  const float beyond = overhang(q, *limits);
  if (beyond <= target.redundancy_slack) return Verdict::yes();
  return Verdict::no({"what Q can represent reaches beyond its bounds", "activation_not_redundant", {beyond}, 1});
}

/// The q-params of a tensor of that range: those that the target wants, kept inside the bounds of the activation that
/// makes the tensor, if the target fuses it when it is redundant. Throws Error if the range is not finite.
inline QParams activation_qparams(const Value& value, Range range, const Target& target) {
  const Node* const producer = value.producer();
  const std::optional<Range> limits = producer != nullptr ? bounds(*producer) : std::nullopt;
  if (limits && !range.empty()) range = range.clamped(*limits);
  const bool negative = range.min < 0;
  const DType dtype = target.zero_point_zero ? detail::with_sign(target.activation, negative) : target.activation;
  const QParams q =
      choose_qparams(range, dtype, target.zero_point_zero && negative ? ZeroPoint::middle : ZeroPoint::free);
  if (!limits) return q;
  const FusedActivation* const entry = fused_activation(*producer, target);
  return entry != nullptr && entry->when == Fuses::when_redundant ? fitted_inside(q, *limits) : q;
}

}  // namespace graft::inline v1
