#pragma once
#include <graft/quantize/run/detail/way_trials.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE WayTrials::WayTrials(const Graph& floats, const SampleSource& samples, std::size_t most,
                                  ExecutorFactory make_executor, const Context& context)
    : make_executor_(std::move(make_executor)) {
  AnyExecutor executor = make_executor_(floats);
  const Fetches outputs = measured_outputs(floats);
  for_first(samples, most, [&](std::size_t, const Sample& sample) {
    if (context.is_cancelled()) return;
    floats_.push_back(executor.run(sample.feeds, outputs));
    samples_.push_back(sample);
    samples_.back().feeds = by_name(sample.feeds);
  });
  if (samples_.empty() && !context.is_cancelled()) throw Error("there is no sample to compare on");
}

GRAFT_INLINE TrialResult WayTrials::measure(Model& model, const Context& known, const Pass& passes) const {
  Model copy = model.clone();
  Context context = known;
  context.log = {};
  context.progress = {};
  passes.run(copy, context);
  AnyExecutor executor = make_executor_(copy.graph());
  const Fetches outputs = measured_outputs(copy.graph());
  FidelityMeter meter;
  for (std::size_t i = 0; i < samples_.size() && !known.is_cancelled(); ++i) {
    try {
      meter.add(floats_[i], executor.run(samples_[i].feeds, outputs));
    } catch (Error& error) {
      throw on_sample(error, samples_[i], "held-out sample " + std::to_string(i));
    }
  }
  const auto pairs = std::ranges::count_if(copy.graph().nodes(), is_quantize);
  return {meter.fidelity(), static_cast<std::size_t>(pairs)};
}

}  // namespace graft::inline v1::detail
