// expect: the pattern to look for contains what only a replacement can
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;
constexpr auto conv = node<"conv">;

constexpr auto p = query<"q">(op<"Relu">(op<"Conv">(x, w).as(conv), conv(x, w)));
