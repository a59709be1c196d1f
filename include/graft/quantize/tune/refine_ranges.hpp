#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// How refine_ranges() searches.
struct RangeRefinement {
  Placement placement = Placement::min_cost;  ///< of the inject_qdq() that follows
  std::size_t samples = 24;                   ///< the first so many are run
  std::size_t sweeps = 2;  ///< how often each tensor is tried; a sweep that changes nothing is the last
  double step = 1.25;      ///< a range is tried so many times as wide, and as narrow
  double min_factor = 0.5, max_factor = 2;  ///< the limits of a range in one sweep, as multiples of what it was
  std::vector<NamePattern> keep{};          ///< tensors whose ranges stay as they are
  /// No trial begins later. The result depends on the speed of the machine if the time ends the search.
  double max_seconds = std::numeric_limits<double>::infinity();
};

/// What refine_ranges() has found.
struct RefinedRanges {
  static constexpr std::string_view fact_name = "refined_ranges", fact_maker = "refine_ranges";

  /// The power of the noise in the outputs as a share of the signal's, before and after: of the samples that decided,
  /// and of those that confirmed each change.
  double noise_before = 0, noise_after = 0, unseen_before = 0, unseen_after = 0;
  std::size_t tensors = 0;             ///< how many have a pair of their own
  std::vector<std::string> changed{};  ///< those that have another range
  std::size_t trials = 0;
};

/// "3 of 66 ranges are changed: noise in the outputs 0.0115, before 0.0140"
std::string to_string(const RefinedRanges& result);

/// The pass that widens and narrows the Ranges of activations, one tensor after the other, and keeps what brings the
/// outputs nearer to those of the float graph: coordinate descent on the noise in the outputs, in the order of the
/// graph. Observers know what a range does to its tensor; this pass measures what it does to the outputs.
///
/// For each trial inject_qdq() quantizes the activations of a copy, so that scales and zero points meet the conditions
/// of the target, as they will in the model; weights stay in float. The copy runs from the changed tensor on. Other
/// ranges that change what is quantized are not tried. Two of three samples decide: the mean of the noise must fall by
/// more than half of its standard error. The third ones, which have not decided, must confirm each change.
///
/// The graph stays as it is. Next come inject_qdq() with the same target and placement, and what else quantizes. The
/// result is the same for any number of threads. Its notes say what was found, as does the RefinedRanges that it
/// provides. Needs Ranges, and what inject_qdq() needs; heeds the same facts as that. Throws Error if there is no
/// sample, and as inject_qdq() does. Samples, make_executor and the model are treated as by analyze().
Pass refine_ranges(SampleSource samples, const Target& target, RangeRefinement refinement = {},
                   ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/refine_ranges.ipp>
#endif
