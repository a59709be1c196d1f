// expect: an attribute is set to what a function gives of another type
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto axis = attr<"axis", Axis>;

std::string_view last() { return "last"; }

constexpr auto p = op<"Concat">(x).with(axis = call<last>());
