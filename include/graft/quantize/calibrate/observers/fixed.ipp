#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/fixed.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Fixed::Statistic Fixed::start() const {
  detail::check_order(fixed);
  return {};
}

}  // namespace graft::inline v1
