#pragma once
#include <graft/qonnx/datatype/tensor_range.hpp>

#include <algorithm>
#include <cmath>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE TensorRange TensorRange::whole() const {
  TensorRange result = *this;
  result.min = {*std::min_element(min.begin(), min.end())};
  result.max = {*std::max_element(max.begin(), max.end())};
  result.axis = 0;
  return result;
}

GRAFT_INLINE bool TensorRange::is_bounded() const {
  const auto is_finite = [](double number) { return std::isfinite(number); };
  return std::all_of(min.begin(), min.end(), is_finite) && std::all_of(max.begin(), max.end(), is_finite);
}

}  // namespace graft::inline v1::qonnx
