#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/onednn.hpp>

/// oneDNN, if it fused a sum as TensorRT does: with a pair on one branch alone. No target that is shipped does so yet.
inline constexpr graft::Target one_branch = [] {
  graft::Target target = graft::targets::onednn;
  target.name = "one-branch";
  target.quirks = target.quirks.with(graft::Quirk::pairs_on_one_branch);
  return target;
}();
