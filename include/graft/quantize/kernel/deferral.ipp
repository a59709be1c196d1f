#pragma once
#include <graft/quantize/kernel/deferral.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/inside.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const FusedActivation* fused_activation(const Node& node, const Target& target) {
  if (!detail::has_result(node)) return nullptr;
  for (const FusedActivation& entry : target.activations) {
    if (node.is(entry.op))
      return entry.input == FusedInput::only || node.input_count() == 2 ? &entry : nullptr;
  }
  return nullptr;
}

GRAFT_INLINE float overhang(const QParams& q, const Range& limits) {
  const Range held = q.range();
  return std::max(limits.min - held.min, held.max - limits.max);
}

GRAFT_INLINE RowEnd::RowEnd(const Node& quantize) : q(qparams_of(quantize)) {
  const std::optional<Tensor> scale = detail::constant_input(quantize, 1),
                              zero_point = detail::constant_input(quantize, 2);
  has_zero_point = zero_point && zero_point->size() == 1;
  at_lowest = has_zero_point && is_integer(zero_point->dtype()) &&
              zero_point->item<std::int64_t>() == lowest(zero_point->dtype());
  has_scalar_scale = scale && scale->rank() == 0;
}

namespace detail {

/// Relu is merged into the Clip behind it, where they are not computed but removed. Every node must be one that the
/// target fuses.
inline std::vector<Stage> stages_of(std::span<const Node* const> row, const Target& target) {
  std::vector<Stage> stages;
  for (const Node* const node : row) {
    Stage stage{node, bounds(*node), fused_activation(*node, target)->when == Fuses::always};
    const bool merges = !stages.empty() && !stages.back().always && stages.back().node->is("Relu") && node->is("Clip");
    if (merges && stage.limits) {
      stage.limits->min = std::max(stage.limits->min, 0.0f);
      stages.pop_back();
    }
    stages.push_back(stage);
  }
  return stages;
}

/// Whether the runtime removes an activation in front of this QuantizeLinear. It asks for a zero point that is there,
/// and for Clip for a scale of rank 0.
inline Verdict is_removed(const Stage& stage, const RowEnd& end, const Target& target) {
  const auto no = [](std::string_view text) { return Verdict::no({text, "activation_not_redundant", {}, 0}); };
  if (!stage.limits) return no("its bounds are not constant");
  if (!end.has_zero_point) return no("the QuantizeLinear behind it has no constant zero point of a whole tensor");
  const bool is_relu = stage.node->is("Relu");
  if (is_relu && end.at_lowest) return Verdict::yes();
  if (!end.q) return no("the q-params behind it are not those of a whole tensor");
  const float beyond = overhang(*end.q, *stage.limits);
  if (is_relu || !(beyond <= target.redundancy_slack))
    return Verdict::no({"what Q can represent reaches beyond its bounds", "activation_not_redundant", {beyond}, 1});
  return end.has_scalar_scale ? Verdict::yes() : no("the scale behind it is not a scalar");
}

GRAFT_INLINE std::vector<Stage> stages_left(std::span<const Node* const> row, const RowEnd& end, const Target& target) {
  std::vector<Stage> stages = stages_of(row, target);
  if (!stages.empty() && !stages.back().always && is_removed(stages.back(), end, target)) stages.pop_back();
  return stages;
}

}  // namespace detail

GRAFT_INLINE Verdict deferrable(std::span<const Node* const> row, const RowEnd& end, const Target& target) {
  for (const Node* const node : row)
    if (fused_activation(*node, target) == nullptr)
      return Verdict::no({"the target does not fuse this activation", "activation_unsupported", {}, 0});
  const std::vector<detail::Stage> stages = detail::stages_left(row, end, target);
  for (const detail::Stage& stage : stages) {
    if (stage.always && (stage.limits || !stage.node->is("Clip"))) continue;
    if (stage.node == row.back()) return detail::is_removed(stage, end, target);
    return Verdict::no({"another activation stands between it and the QuantizeLinear", "activation_not_redundant",
                        {}, 0});
  }
  if (stages.size() > target.fused_in_a_row)
    return Verdict::no({"more activations stand in a row than the target fuses", "activations_in_a_row",
                        {static_cast<double>(stages.size())}, 1});
  return Verdict::yes();
}

GRAFT_INLINE Verdict deferrable(const Node& node, const QParams& q, const Target& target) {
  const std::array<const Node*, 1> row{&node};
  return deferrable(row, RowEnd(q), target);
}

GRAFT_INLINE ActivationForm activation_form(const Range& range, const Target& target) {
  const bool has_either_sign = target.zero_points == ZeroPoints::zero_either_sign;
  const DType dtype = has_either_sign ? detail::with_sign(target.activation, range.min < 0) : target.activation;
  const bool is_symmetric = target.zero_points != ZeroPoints::free && !is_unsigned_integer(dtype);
  return {dtype, is_symmetric ? ZeroPoint::middle : ZeroPoint::free};
}

GRAFT_INLINE QParams activation_qparams(const Value& value, Range range, const Target& target) {
  const Node* const producer = value.producer();
  const std::optional<Range> limits = producer != nullptr ? bounds(*producer) : std::nullopt;
  if (limits && !range.empty()) range = range.clamped(*limits);
  const ActivationForm form = activation_form(range, target);
  const QParams q = choose_qparams(range, form.dtype, form.zero_point);
  const FusedActivation* const entry = limits ? fused_activation(*producer, target) : nullptr;
  if (entry == nullptr || entry->when != Fuses::when_redundant) return q;
  return target.zero_points == ZeroPoints::free ? fitted_inside(q, *limits) : scaled_inside(q, *limits);
}

}  // namespace graft::inline v1
