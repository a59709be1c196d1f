// expect: comm<> of an operator whose operands may not be exchanged
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto y = val<"y">;

constexpr auto p = comm<"Sub">(x, y);
