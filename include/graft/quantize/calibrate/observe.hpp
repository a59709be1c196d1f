#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// The tensors of the main graph that a placement may ask the range of: its inputs and whatever a node makes, unless it
/// is known not to be float32, or constant.
std::vector<const Value*> observable(const Graph& graph);

namespace detail {

/// An operator may make infinities on purpose, as masks do; what is fed holds none, and where a product does, the
/// numbers were too large.
bool may_be_infinite(const Value& value);

/// With infinities as the greatest floats. Throws Error for NaN.
Tensor made_finite(const Tensor& tensor);

}  // namespace detail

/// Adds to the statistics what one run of the graph shows of these values; those that turn out not to be float32 are
/// left out, and infinities count as the greatest floats. Throws Error naming the tensor that holds NaN, the input or
/// product that holds infinity, and whatever the executor throws at feeds of the wrong shape: with the file that the
/// sample is from, or what it is called where that is unknown; where a node fails, in its message. A sample that has an
/// identity is noted as seen once it ran; throws Error unless it comes after those that were.
template <Executor E, Statistic S>
void observe(E& executor, const Sample& sample, const std::vector<const Value*>& values, Statistics<S>& statistics,
             std::string_view called = "the sample") {
  const Fetches fetches(values.begin(), values.end());
  SeenSamples seen;
  try {
    if (sample.identity) seen.add(sample.identity->index, sample.identity->name);
    statistics.seen.check_follows(seen);
    executor.observe(sample.feeds, fetches, [&](std::size_t i, const Tensor& tensor) {
      if (tensor.dtype() != DType::f32) return;
      const detail::Extent extent = detail::extent_of(tensor.data<float>());
      try {
        if (extent.finite) {
          statistics.of(values[i]->name()).add(tensor, extent.range);
        } else if (detail::may_be_infinite(*values[i])) {
          const Tensor finite = detail::made_finite(tensor);
          statistics.of(values[i]->name()).add(finite, detail::extent_of(finite.data<float>()).range);
        } else {
          throw Error("holds NaN or infinity");
        }
      } catch (Error& error) {
        throw error.field(values[i]->name());
      }
    });
  } catch (Error& error) {
    throw on_sample(error, sample, called);
  }
  statistics.seen.merge(seen);
  ++statistics.samples;
}

/// Adds to the statistics what samples show of these values: anything that yields Feeds, or Sample, one after the
/// other, of any shapes that the graph takes. go_on, if given, hears how many are done before each, and ends the run
/// with false. Throws Error as for one sample; those of unknown files are named by their number, from 0.
template <Executor E, Statistic S, class Samples>
void observe(E& executor, const std::vector<const Value*>& values, Samples&& samples, Statistics<S>& statistics,
             const std::function<bool(std::size_t)>& go_on = {}) {
  std::size_t number = 0;
  for (auto&& sample : samples) {
    if (go_on && !go_on(number)) break;
    observe(executor, sample, values, statistics, "sample " + std::to_string(number++));
  }
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe.ipp>
#endif
