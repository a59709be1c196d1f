#pragma once
#include <optional>
#include <span>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// How the target fuses this node as an activation; nullptr if it does not.
const FusedActivation* fused_activation(const Node& node, const Target& target);

/// By how much what q can represent reaches beyond the bounds, in float32; 0 or less if it does not.
float overhang(const QParams& q, const Range& limits);

/// The QuantizeLinear behind a row of activations: what of it decides whether the row vanishes.
struct RowEnd {
  explicit RowEnd(const QParams& params) : q(params), at_lowest(params.zero_point == params.lowest()) {}
  explicit RowEnd(const Node& quantize);

  std::optional<QParams> q;  ///< where they are constant, and those of a whole tensor
  bool has_zero_point = true, has_scalar_scale = true;
  bool at_lowest = false;  ///< the zero point, of what its dtype can hold
};

namespace detail {

/// An activation as the runtime finds it when it chooses kernels.
struct Stage {
  const Node* node;
  std::optional<Range> limits;
  bool always;
};

/// Those that stand in front of the QuantizeLinear once it has removed what it makes redundant: the last one only.
std::vector<Stage> stages_left(std::span<const Node* const> row, const RowEnd& end, const Target& target);

/// The signed or unsigned dtype of the same width.
inline DType with_sign(DType dtype, bool is_signed) {
  if (bits(dtype) == 16) return is_signed ? DType::i16 : DType::u16;
  return is_signed ? DType::i8 : DType::u8;
}

}  // namespace detail

/// Whether activations, one reading the other, vanish into an integer kernel before them if this QuantizeLinear stands
/// behind. Placement, commutation and audit ask the same. The reason's code is "activation_unsupported",
/// "activation_not_redundant", its number the overhang in values if that is what is wrong, or "activations_in_a_row".
Verdict deferrable(std::span<const Node* const> row, const RowEnd& end, const Target& target);

/// The same for one activation.
Verdict deferrable(const Node& node, const QParams& q, const Target& target);

/// The dtype of a tensor of that range, and its zero point, as Target::zero_points says.
struct ActivationForm {
  DType dtype;
  ZeroPoint zero_point;
};
ActivationForm activation_form(const Range& range, const Target& target);

/// The q-params of a tensor of that range: those that the target needs, kept inside the bounds of the activation that
/// makes the tensor, if the target fuses it when it is redundant. Throws Error if the range is not finite.
QParams activation_qparams(const Value& value, Range range, const Target& target);

}  // namespace graft::inline v1
