// expect: a rule looks for an operator, not for a value alone
// not: non-
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto r = rule<"r">(x, op<"Relu">(x));
