#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Softmax(x) {axis}
// After:   Transpose(Softmax(Transpose(x)) {axis=-1})     the axis moves to the end, and back
//
// x has a known rank, and at least two axes follow this one. Values stay. Opset 13 or later. For ONNX Runtime, which
// moves such an axis element by element. On x86-64, a Softmax over axis 1 of f32[1,16,4,2100] takes 8.5 ms, and 0.6 ms
// in this way. If one axis follows, the runtime is as fast without the rule.
extern const RuleView softmax_along_last_axis;

}  // namespace graft::inline v1
