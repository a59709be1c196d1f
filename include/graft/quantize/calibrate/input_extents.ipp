#pragma once
#include <graft/quantize/calibrate/input_extents.hpp>

#include <cmath>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void InputExtents::add(const Feeds& feeds) {
  ++samples_;
  for (const auto& [value, tensor] : feeds) {
    Sums& sums = by_name_[std::string(value.name())];
    const auto& dims = tensor.dims();
    if (sums.tensors++ == 0) sums.along.resize(dims.size());
    sums.is_of_one_rank = sums.is_of_one_rank && sums.along.size() == dims.size();
    for (std::size_t axis = 0; axis < dims.size() && sums.is_of_one_rank; ++axis)
      sums.along[axis] += static_cast<double>(dims[axis]);
  }
}

GRAFT_INLINE void InputExtents::rename(std::string_view from, std::string_view to) {
  detail::rename_key(by_name_, from, to);
}

GRAFT_INLINE std::optional<Dims> InputExtents::of(std::string_view input) const {
  const auto known = by_name_.find(input);
  if (known == by_name_.end() || !known->second.is_of_one_rank) return std::nullopt;
  Dims means;
  for (const double sum : known->second.along)
    means.push_back(static_cast<std::int64_t>(std::llround(sum / static_cast<double>(known->second.tensors))));
  return means;
}

}  // namespace graft::inline v1
