#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that runs the graph as it then is on samples, anything that yields Feeds, or Sample, one after the other,
/// and provides the ranges that the observer, a RangeObserver, finds for its tensors to the passes behind it. The graph
/// stays as it is. make_executor(graph) gives what runs it. Throws Error if there is no sample, or as observe() and
/// SampleSource do.
Pass calibrate(SampleSource samples, AnyRangeObserver observer = {}, ExecutorFactory make_executor = {});

/// The pass that provides known ranges to the passes behind it.
Pass with_ranges(Ranges ranges);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/calibrate.ipp>
#endif
