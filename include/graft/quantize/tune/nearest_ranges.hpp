#pragma once
#include <cstddef>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The methods to try, which read histograms, and the number of samples, from the first.
struct RangeTrials {
  std::vector<RangeMethod> methods = usual_range_methods();
  std::size_t samples = 64;
};

/// The pass that tries several methods on the histograms, and provides the ranges with which the outputs are nearest
/// to those of the float graph: those with the greatest cosine. It runs the following, quantizing passes on copies. If
/// several are equal, the first is used. Its notes list the fidelity of each. No method is best for every net. Uses
/// samples, make_executor and the model as analyze() does. Throws Error if there are no methods, or one cannot read
/// histograms.
Pass nearest_ranges(const Pass& quantize, SampleSource samples, ExecutorFactory make_executor = {},
                    RangeTrials trials = {});

}  // namespace graft::inline v1
