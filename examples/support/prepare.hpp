#pragma once
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>

/// What comes before calibration, whatever the target.
inline graft::Pass prepare(bool freeze_inputs) {
  using namespace graft;
  const Pass passes = inline_functions() | to_inference() | raise_opset(13) | to_float32() | fold_constants() |
                      committing(fixpoint(bn_into_conv, add_into_conv_bias, gemm_bias) | eliminate_dead_code());
  return freeze_inputs ? graft::freeze_inputs() | passes : passes;
}
