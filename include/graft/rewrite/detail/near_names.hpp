#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::inline v1::detail {

/// The letters of a name in lower case, and its digits.
std::string plain_name(std::string_view name);

/// At most three names that a misspelt one may mean, the nearest first. The edit distance between plain names is at
/// most two, or a quarter of the name's length, and less than the shorter length. A name of at least four letters that
/// is part of the other is near, too.
std::vector<std::string_view> near_names(std::string_view written, std::span<const std::string_view> names);

}  // namespace graft::inline v1::detail
