#pragma once
#include <cstddef>
#include <functional>

#include <graft/evaluate/executor.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Calls f(i, sample) for the first `most` samples, until it returns false or the run is cancelled. Returns the number
/// of calls.
std::size_t for_first(const SampleSource& samples, std::size_t most, const Context& context,
                      const std::function<bool(std::size_t i, const Sample& sample)>& f);

/// The same feeds for a copy of the graph, and more of them.
Feeds by_name(const Feeds& feeds, const Feeds& more = {});

}  // namespace graft::inline v1::detail
