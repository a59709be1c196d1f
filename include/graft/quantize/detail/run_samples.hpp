#pragma once
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Samples, and the statistics to which they are added.
struct SamplePart {
  SampleSource samples;
  StatisticsSink statistics;
};

/// Adds these values on the samples of each part to its statistics, and provides the InputExtents of all. Returns the
/// report of a pass that does only this; it tells why samples could not be read.
Report run_samples(const Graph& graph, const std::vector<const Value*>& values, const std::vector<SamplePart>& parts,
                   const ExecutorFactory& make_executor, Context& context, std::string_view pass_name);

}  // namespace graft::inline v1::detail
