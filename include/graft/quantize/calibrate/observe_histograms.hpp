#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that runs the graph on samples as calibrate() does, and provides histograms of its tensors, a
/// Statistics<Histogram>, to the passes behind it.
Pass observe_histograms(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_histograms.ipp>
#endif
