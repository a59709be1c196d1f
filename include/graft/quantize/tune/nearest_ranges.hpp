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

/// A way to make ranges of histograms, and what it is called.
struct RangeChoice {
  std::string name;
  std::function<Range(const Histogram&)> range;

  template <class O>
  static RangeChoice of(std::string name, const O& observer) {
    return {std::move(name), [observer](const Histogram& seen) { return observer.range(seen); }};
  }
};

/// Those that are good for one net or another; the first is good for most.
std::vector<RangeChoice> usual_range_choices();

/// Which ranges are tried, and on how many samples, the first ones.
struct RangeTrials {
  std::vector<RangeChoice> choices = usual_range_choices();
  std::size_t samples = 64;
};

/// The pass that provides, of the ranges which several observers make of the histograms, those with which outputs come
/// nearest to those of the float graph: with the greatest cosine, where the passes that quantize, and come next, are
/// run on a copy. Of equals the first wins. Its notes list the fidelity of each. No observer is best for every net.
/// Samples, make_executor and the model are treated as by analyze(). Throws Error if there is nothing to choose from.
Pass nearest_ranges(const Pass& quantize, SampleSource samples, ExecutorFactory make_executor = {},
                    RangeTrials trials = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/nearest_ranges.ipp>
#endif
