#pragma once
#include <graft/quantize/calibrate/observe_histograms.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>
#include <graft/quantize/calibrate/observe.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass observe_histograms(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<Histogram>(observable, std::move(samples), std::move(make_executor));
}

}  // namespace graft::inline v1
