#pragma once
#include <graft/rewrite/near_names.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/detail/near_names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool same_plain_name(std::string_view a, std::string_view b) {
  return detail::plain_name(a) == detail::plain_name(b);
}

GRAFT_INLINE std::string did_you_mean(std::string_view written, std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : detail::near_names(written, names))
    text += (text.empty() ? "; did you mean '" : " or '") + std::string(name) + "'";
  return text.empty() ? text : text + "?";
}

}  // namespace graft::inline v1
