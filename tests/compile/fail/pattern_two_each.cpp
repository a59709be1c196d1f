// expect: two each(...) of one pattern bind the same capture
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto p = query<"q">(op<"Add">(op<"Max">(each(x)), op<"Max">(each(x))));
