#pragma once
#include <string>
#include <string_view>
#include <utility>

namespace graft::inline v1::detail {

/// What stands under one name of a map stands under another then, in the place of what was there.
template <class Map>
void rename_key(Map& by_name, std::string_view from, std::string_view to) {
  const auto place = by_name.find(from);
  if (place == by_name.end()) return;
  auto moved = std::move(place->second);
  by_name.erase(place);
  by_name.insert_or_assign(std::string(to), std::move(moved));
}

}  // namespace graft::inline v1::detail
