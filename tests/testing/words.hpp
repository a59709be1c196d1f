#pragma once
#include <sstream>
#include <string>

#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

#include "support/error_of.hpp"

/// The captures, rules and helpers of the tests of this folder.
namespace words {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto w = cst<"w">;
inline constexpr auto b = cst<"b">;
inline constexpr auto c = cst<"c">;
inline constexpr auto conv = node<"conv">;
inline constexpr auto axis = attr<"axis", Axis>;
inline constexpr auto perm = attr<"perm", Ints>;

inline constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));
/// What it makes is not what it was.
inline constexpr auto relu_to_neg = rule<"relu-to-neg">(op<"Relu">(x), op<"Neg">(x));

template <class T>
std::string shown(const T& result) {
  std::ostringstream out;
  out << result;
  return out.str();
}

}  // namespace words
