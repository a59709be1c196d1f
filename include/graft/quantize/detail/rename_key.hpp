#pragma once
#include <string>
#include <string_view>
#include <utility>

namespace graft::inline v1::detail {

/// Moves entry `from` to `to`, replacing it.
template <class Map>
void rename_key(Map& by_name, std::string_view from, std::string_view to) {
  const auto place = by_name.find(from);
  if (place == by_name.end()) return;
  auto moved = std::move(place->second);
  by_name.erase(place);
  by_name.insert_or_assign(std::string(to), std::move(moved));
}

}  // namespace graft::inline v1::detail
