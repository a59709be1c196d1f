#pragma once
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass of everything that comes before calibration: functions inlined, opset 13 or later, float32, constants and
/// batch normalization folded, and for placements from conv_only on what would stay in float rewritten for the target.
/// Ranges are found of the model as it is then.
Pass prepare_model(const Target& target, const QuantizeOptions& options = {});

/// The part of it that does not depend on target and placement: enough for statistics that serve all of them.
Pass prepare_any_model(bool freeze_inputs = false);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/prepare_model.ipp>
#endif
