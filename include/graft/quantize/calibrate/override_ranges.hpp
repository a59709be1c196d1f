#pragma once
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/qdq/range.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The range of the tensors that a pattern matches.
struct RangeOverride {
  NamePattern tensors;
  Range range;
};

/// The pass that gives tensors of the main graph other ranges than were found; of several patterns that match one the
/// last decides. Its notes are the patterns that match no tensor. Throws Error naming the pattern whose range has its
/// min above its max.
Pass override_ranges(std::vector<RangeOverride> overrides);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/override_ranges.ipp>
#endif
