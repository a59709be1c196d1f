// expect: the replacement contains what can only be looked for
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto r = rule<"r">(op<"Relu">(x), op<"LeakyRelu">(x).with(any_attributes));
