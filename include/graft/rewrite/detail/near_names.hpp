#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::inline v1::detail {

/// The letters, in lower case, and the digits of a name.
std::string plain_name(std::string_view name);

/// Those names that a misspelt one may stand for, the nearest first, at most three. Between their plain names at most
/// two letters, or a quarter of the name's, are to be inserted, erased or replaced, and fewer than the shorter one has;
/// or one of at least four letters is part of the other.
std::vector<std::string_view> near_names(std::string_view written, std::span<const std::string_view> names);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/near_names.ipp>
#endif
