// expect: an attribute is compared with, or set to, a value of another type
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto axis = attr<"axis", Axis>;

constexpr auto p = op<"Concat">(x).with(axis = "last");
