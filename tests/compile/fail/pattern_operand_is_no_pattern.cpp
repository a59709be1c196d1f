// expect: an operand is not a pattern
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

constexpr auto p = op<"Conv">(x, w, 3);
