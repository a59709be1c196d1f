#pragma once
#include <graft/quantize/calibrate/observer.hpp>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE AnyRangeObserver::AnyRangeObserver() : AnyRangeObserver(MinMax()) { is_default_ = true; }

}  // namespace graft::inline v1
