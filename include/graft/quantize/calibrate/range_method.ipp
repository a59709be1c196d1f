#pragma once
#include <graft/quantize/calibrate/range_method.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Range RangeMethod::range(const Histogram& seen) const {
  if (!reads_histograms()) throw Error("the method '" + name_ + "' cannot read histograms");
  return from_histogram_(seen);
}

GRAFT_INLINE std::vector<RangeMethod> usual_range_methods(int bits) {
  if (bits < 8)
    return {SquaredError{1 << bits}, Percentile{99.97}, Percentile{99.9}, MinMax(),
            Entropy{std::size_t{1} << bits}};
  return {Percentile{99.99}, MinMax(), Percentile{99.97}, Percentile{99.9}, SquaredError(), Entropy()};
}

}  // namespace graft::inline v1
