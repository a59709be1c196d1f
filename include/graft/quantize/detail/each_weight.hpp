#pragma once
#include <cstddef>

#include <graft/graph/weight_channels.hpp>

namespace graft::inline v1::detail {

/// Whether consecutive elements of a weight belong to consecutive output channels, as those of a Gemm [K, N] do.
inline bool has_outputs_in_columns(const WeightChannels& channels, std::size_t count) {
  return channels.outputs() > 1 && count == channels.outputs() * channels.inputs() && channels.output(1) == 1;
}

/// Calls f(element, its output channel, its input channel) for each of `count` elements of a weight, in their order.
/// WeightChannels divides for each element; this does so for each output channel.
template <class F>
void each_weight(const WeightChannels& channels, std::size_t count, F f) {
  const std::size_t outputs = channels.outputs(), inputs = channels.inputs();
  std::size_t i = 0;
  if (has_outputs_in_columns(channels, count)) {
    for (std::size_t in = 0; in < inputs; ++in)
      for (std::size_t out = 0; out < outputs; ++out) f(i++, out, in);
    return;
  }
  const std::size_t of_output = count / outputs;
  for (std::size_t out = 0; out < outputs; ++out) {
    const std::size_t first = channels.input(i), last = channels.input(i + of_output - 1);
    const std::size_t spatial = of_output / (last - first + 1);
    for (std::size_t in = first; in <= last; ++in)
      for (std::size_t s = 0; s < spatial; ++s) f(i++, out, in);
  }
}

}  // namespace graft::inline v1::detail
