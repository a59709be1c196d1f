#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that rewrites what would stay in float between quantized operators, or is slow there, into what the target
/// computes in integers, or fuses: values stay what they are except for rounding. After simplify(), before calibrate().
Pass float_islands(const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/float_islands.ipp>
#endif
