// expect: an operand is not a pattern
// not: any or rest<>
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto r = rule<"r">(op<"Relu">(op<"Neg">(x)), op<"Add">(x, 1.f));
