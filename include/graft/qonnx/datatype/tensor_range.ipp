#pragma once
#include <graft/qonnx/datatype/tensor_range.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/shortest_decimal.hpp>

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

GRAFT_INLINE void TensorRange::forget_steps() {
  step.clear();
  step_axis = 0;
}

GRAFT_INLINE std::string to_string(const TensorRange& range) {
  std::string text;
  for (std::size_t i = 0; i < range.min.size(); ++i)
    text += (i == 0 ? "[" : " [") + shortest_decimal(range.min[i]) + ", " + shortest_decimal(range.max[i]) + "]";
  if (range.is_per_channel()) text += " along axis " + std::to_string(range.axis);
  return text;
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, const TensorRange& range) { return out << to_string(range); }

}  // namespace graft::inline v1::qonnx
