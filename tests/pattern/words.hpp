#pragma once
// Captures that the tests of patterns share.
#include <graft/pattern.hpp>

namespace words {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto y = val<"y">;
inline constexpr auto w = cst<"w">;
inline constexpr auto b = val<"b">;
inline constexpr auto s = cst<"s">;
inline constexpr auto z = cst<"z">;
inline constexpr auto more = rest<"more">;
inline constexpr auto conv = node<"conv">;
inline constexpr auto act = node<"act">;
inline constexpr auto axis = attr<"axis", Axis>;
inline constexpr auto perm = attr<"perm", Ints>;
inline constexpr auto alpha = attr<"alpha", float>;

}  // namespace words
