#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass of everything that comes before calibration: functions inlined, inference mode, opset 13 or later, products
/// that a runtime has fused taken apart, float32, constants and batch normalization folded, and for placements from
/// conv_only on what would stay in float rewritten for the target; in a mode other than static quantization the model
/// is simplified alone. What scales features of different units stays in front of the weights behind, or is put there
/// again: SimplifyOptions::keep_weights_even, even_out_input_weights(). Denormal weights become 0. Ranges are found of
/// the model as it is then. Throws Error as its parts do: where an operator has no form of opset 13, say.
Pass prepare_model(const Target& target, const QuantizeOptions& options = {});

/// The part of it that does not depend on target and placement: enough for statistics that serve all of them.
/// freeze_inputs: as in QuantizeOptions.
Pass prepare_for_any_target(bool freeze_inputs = false);

}  // namespace graft::inline v1
