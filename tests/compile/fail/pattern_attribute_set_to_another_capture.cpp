// expect: an attribute is set to a capture of another type
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto axis = attr<"axis", Axis>;

constexpr auto p = op<"Concat">(x).with(axis = attr<"alpha", float>);
