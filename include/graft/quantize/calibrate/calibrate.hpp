#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that runs the current graph on samples and provides the ranges of its tensors. Samples are any range of
/// Feeds or Sample; a RangeObserver finds the ranges. The pass does not change the graph.
/// make_executor(graph) makes the executor. Throws Error if there is no sample, and as observe() and SampleSource do.
Pass calibrate(SampleSource samples, RangeMethod method = MinMax(), ExecutorFactory make_executor = {});

/// The pass that provides known ranges.
Pass with_ranges(Ranges ranges);

}  // namespace graft::inline v1
