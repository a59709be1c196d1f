#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <graft/quantize/range.hpp>

namespace graft::inline v1::detail {

/// The range of some values, and whether all of them are finite. NaN is left out of the range.
struct Extent {
  Range range;
  bool finite = true;
};
Extent extent_of(float x);

Extent extent_of(std::span<const float> values);

/// Of each column of a matrix in row-major order.
std::vector<Extent> extents_of_columns(std::span<const float> values, std::size_t columns);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/extent.ipp>
#endif
