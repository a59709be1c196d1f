#pragma once
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>

namespace graft::inline v1 {

/// The same range, whatever is seen. start() throws Error if its min is above its max.
struct Fixed {
  Range fixed;

  using Statistic = Extremes;
  Statistic start() const;
  template <class S>
  Range range(const S&) const {
    return fixed;
  }
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observers/fixed.ipp>
#endif
