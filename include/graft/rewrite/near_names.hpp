#pragma once
#include <span>
#include <string>
#include <string_view>

namespace graft::inline v1 {

/// Whether the letters, whatever their case, and the digits of both are the same: "Fuse_Gelu" and "fuse-gelu" are one.
bool same_plain_name(std::string_view a, std::string_view b);

/// "; did you mean 'a' or 'b'?", of those names that a misspelt one may stand for, the nearest first, at most three; ""
/// if there is none. For the end of a message.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/near_names.ipp>
#endif
