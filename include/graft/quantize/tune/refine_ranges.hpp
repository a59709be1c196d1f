#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Options of the search of refine_ranges().
struct RangeRefinement {
  Placement placement = Placement::min_cost;  ///< that of the following inject_qdq()
  std::size_t samples = 24;                   ///< number of samples, from the first
  std::size_t sweeps = 2;                     ///< how often each tensor is tried; a sweep without changes is the last
  double step = 1.25;                         ///< factor by which a range is widened and narrowed in a trial
  double min_factor = 0.5, max_factor = 2;    ///< limits of a range in one sweep, as multiples of the one before
  std::vector<NamePattern> keep{};            ///< tensors whose ranges are not changed
  /// The time limit for starting trials. If the time ends the search, the result depends on the speed of the machine.
  double max_seconds = std::numeric_limits<double>::infinity();
};

/// The result of refine_ranges().
struct RefinedRanges {
  static constexpr std::string_view fact_name = "refined_ranges", fact_maker = "refine_ranges";

  /// The noise power of the outputs as a share of the signal power, before and after: on the samples that decided, and
  /// on those that confirmed each change.
  double noise_before = 0, noise_after = 0, unseen_before = 0, unseen_after = 0;
  std::size_t tensors = 0;             ///< number of tensors with their own pair
  std::vector<std::string> changed{};  ///< tensors whose range was changed
  std::size_t trials = 0;
};

/// "3 of 66 ranges are changed: noise in the outputs 0.0115, before 0.0140"
std::string to_string(const RefinedRanges& result);

/// The pass that widens and narrows the Ranges of activations, one tensor after the other, and keeps changes that bring
/// the outputs nearer to those of the float graph. It is a coordinate descent on the noise in the outputs, in the order
/// of the graph. Observers know the effect of a range on its tensor; this pass measures the effect on the outputs.
///
/// For each trial inject_qdq() quantizes the activations of a copy, so that scales and zero points meet the conditions
/// of the target, as in the final model; weights stay in float. The copy runs from the changed tensor on. Ranges with
/// which other nodes would be quantized are not tried. Two of three samples decide: the mean of the noise must fall by
/// more than half of its standard error. The third samples must confirm each change.
///
/// The pass does not change the graph. Run inject_qdq() with the same target and placement next, and then the other
/// quantizing passes. The result does not depend on the number of threads. Its notes, and the RefinedRanges that it
/// provides, describe the changes. Needs Ranges and the facts that inject_qdq() needs, and reads the same facts as
/// that. Throws Error if there is no sample, and as inject_qdq() does. Uses samples, make_executor and the model as
/// analyze() does.
Pass refine_ranges(SampleSource samples, const Target& target, RangeRefinement refinement = {},
                   ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
