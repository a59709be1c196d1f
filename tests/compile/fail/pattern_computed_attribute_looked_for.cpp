// expect: the pattern to look for contains what only a replacement can
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto axis = attr<"axis", Axis>;

constexpr auto p = query<"q">(op<"Concat">(x).with(axis = 1));
