#pragma once
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that quantizes what goes into and comes out of every operator that the target computes in integers and
/// whose weight is constant. A tensor gets one pair of QuantizeLinear and DequantizeLinear, which all its users share,
/// but where the target needs a DequantizeLinear for each kernel; a pair that is there stays, and is shared as well.
/// Nodes that exclude_nodes() names are left out, as are ProductForms, bodies and functions, operators on integers,
/// and beyond convolutions what one scale would destroy, such as scores with a mask: the notes say so, and the
/// FloatOutcomes that it provides. Tensors that override_activations() names have the dtype that it says. What min_cost
/// leaves in float joins the KeptInFloat of the facts, for the passes behind, and gets a name if it has none. Needs
/// opset 10, and 21 for activations of 16 bits.
/// Throws Error naming the tensor whose range is missing.
Pass inject_qdq(Ranges ranges, const Target& target, Placement placement = Placement::fusion_aware);

/// The same with the ranges that an earlier pass has provided.
Pass inject_qdq(const Target& target, Placement placement = Placement::fusion_aware);

}  // namespace graft::inline v1
