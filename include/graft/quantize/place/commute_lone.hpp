#pragma once
// A DequantizeLinear that no QuantizeLinear stands before, as behind a QLinearConv or a quantized constant, moves below
// what integers can do as well.
//
// Before: DQ(q, s, z) -> f            After: f'(q) -> DQ(s, z)
//   Relu, q unsigned and z = 0          nothing at all           exact
//   Relu, q signed and z = 0            Relu, since opset 14     exact
//   Relu                                Clip(q, z), since 12     exact
//   data movement                       the same                 exact
//   Clip(a, b)                          Clip(q, a/s+z, b/s+z)    half a step of s, since 12
// if s and z are constant scalars, nobody else reads the dequantized value, and the target computes f' in the dtype of
// q. commutation_bound(f, q) returns how far values move, and why. LeakyRelu has no such form among ONNX's operators.

namespace graft::inline v1 {

struct RuleView;

namespace commute {

extern const RuleView past_clip;
extern const RuleView past_movement;
extern const RuleView past_no_relu;
extern const RuleView past_relu;
extern const RuleView past_signed_relu;

}  // namespace commute
}  // namespace graft::inline v1
