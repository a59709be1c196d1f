#pragma once
#include <graft/quantize/calibrate/any_range_observer.hpp>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/min_max.hpp>

namespace graft::inline v1 {

GRAFT_INLINE AnyRangeObserver::AnyRangeObserver() : AnyRangeObserver(MinMax()) { is_default_ = true; }

}  // namespace graft::inline v1
