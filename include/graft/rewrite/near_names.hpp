#pragma once
#include <span>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// Whether two names have the same letters, ignoring case, and digits: "Fuse_Gelu" and "fuse-gelu" do.
bool same_plain_name(std::string_view a, std::string_view b);

/// A suggestion for the end of a message: "; did you mean 'a' or 'b'?". It lists at most three similar names, the
/// nearest first; "" if there is none.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> names);

}  // namespace graft::inline v1
