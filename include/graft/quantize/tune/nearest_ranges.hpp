#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// A named method of computing ranges from histograms.
struct RangeChoice {
  std::string name;
  std::function<Range(const Histogram&)> range;

  template <class O>
  static RangeChoice of(std::string name, const O& observer) {
    return {std::move(name), [observer](const Histogram& seen) { return observer.range(seen); }};
  }
};

/// Methods that suit one net or another; the first suits most.
std::vector<RangeChoice> usual_range_choices();

/// The methods to try, and the number of samples, from the first.
struct RangeTrials {
  std::vector<RangeChoice> choices = usual_range_choices();
  std::size_t samples = 64;
};

/// The pass that tries several observers on the histograms, and provides the ranges with which the outputs are nearest
/// to those of the float graph: those with the greatest cosine. It runs the following, quantizing passes on copies. If
/// several are equal, the first is used. Its notes list the fidelity of each. No observer is best for every net. Uses
/// samples, make_executor and the model as analyze() does. Throws Error if there are no choices.
Pass nearest_ranges(const Pass& quantize, SampleSource samples, ExecutorFactory make_executor = {},
                    RangeTrials trials = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/nearest_ranges.ipp>
#endif
