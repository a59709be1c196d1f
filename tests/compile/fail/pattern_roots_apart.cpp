// expect: every root of a pattern must read a value or a node
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

constexpr auto p = roots(op<"Relu">(x), op<"Relu">(w));
