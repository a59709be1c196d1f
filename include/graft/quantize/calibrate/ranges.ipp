#pragma once
#include <graft/quantize/calibrate/ranges.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const Range* Ranges::find(std::string_view name) const {
  const auto place = by_name_.find(name);
  return place == by_name_.end() ? nullptr : &place->second;
}

GRAFT_INLINE const Range& Ranges::at(std::string_view name) const {
  if (const Range* const range = find(name)) return *range;
  throw Error("its range is not known: calibrate, or load ranges that have it").field(name);
}

GRAFT_INLINE void Ranges::erase(std::string_view name) {
  if (const auto place = by_name_.find(name); place != by_name_.end()) by_name_.erase(place);
}

GRAFT_INLINE void Ranges::rename(std::string_view from, std::string_view to) {
  detail::rename_key(by_name_, from, to);
}

GRAFT_INLINE void Ranges::join(std::string_view name, std::span<const std::string> parts) {
  Range joined;
  for (const std::string& part : parts) {
    const Range* const range = find(part);
    if (range == nullptr) return erase(name);
    joined.merge(*range);
  }
  by_name_.insert_or_assign(std::string(name), joined);
}

GRAFT_INLINE const Range& Ranges::checked(std::string_view name, const Range& range) {
  try {
    detail::check_order(range);
  } catch (Error& error) {
    throw error.field(std::string(name));
  }
  return range;
}

}  // namespace graft::inline v1
