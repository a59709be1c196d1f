#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1::detail {

/// Statistics of any kind, as what runs samples adds to them: it is compiled once for all kinds.
struct StatisticsSink {
  template <Statistic S>
  explicit StatisticsSink(Statistics<S>& statistics)
      : samples(statistics.samples),
        seen(statistics.seen),
        add([&statistics](std::string_view name, const Tensor& tensor, const Range& range) {
          statistics.of(name).add(tensor, range);
        }) {}

  std::uint64_t& samples;
  SeenSamples& seen;
  std::function<void(std::string_view name, const Tensor& tensor, const Range& range)> add;
};

}  // namespace graft::inline v1::detail
