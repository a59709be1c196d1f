#pragma once
#include <graft/quantize/place/in_float.hpp>

#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void InFloat::rename_node(std::string_view from, std::string_view to) {
  const auto place = reasons.find(from);
  if (place == reasons.end()) return;
  std::string reason = std::move(place->second);
  reasons.erase(place);
  reasons.insert_or_assign(std::string(to), std::move(reason));
}

}  // namespace graft::inline v1
