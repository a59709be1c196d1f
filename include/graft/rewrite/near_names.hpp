#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::inline v1 {

/// The letters, in lower case, and the digits of a name: "Fuse_Gelu" and "fuse-gelu" are one.
std::string plain_name(std::string_view name);

/// Those names that a misspelt one may stand for, the nearest first, at most three: few letters are to be inserted,
/// erased or replaced in its plain_name(), or one is part of the other.
std::vector<std::string_view> near_names(std::string_view written, std::span<const std::string_view> names);

/// "; did you mean 'a' or 'b'?", of near_names(); "" if there is none. For the end of a message.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/near_names.ipp>
#endif
