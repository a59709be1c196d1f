#pragma once
#include <graft/quantize/tune/nearest_ranges.hpp>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/entropy.hpp>
#include <graft/quantize/calibrate/observers/min_max.hpp>
#include <graft/quantize/calibrate/observers/percentile.hpp>
#include <graft/quantize/calibrate/observers/squared_error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<RangeChoice> usual_range_choices() {
  return {RangeChoice::of("min-max", MinMax()),
          RangeChoice::of("percentile 99.99", Percentile{99.99}),
          RangeChoice::of("percentile 99.97", Percentile{99.97}),
          RangeChoice::of("percentile 99.9", Percentile{99.9}),
          RangeChoice::of("squared-error", SquaredError()),
          RangeChoice::of("entropy", Entropy())};
}

}  // namespace graft::inline v1
