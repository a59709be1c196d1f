#pragma once
#include <graft/quantize/calibrate/observers/from_extremes.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Fixed::Statistic Fixed::start() const {
  detail::check_order(fixed);
  return {};
}

}  // namespace graft::inline v1
