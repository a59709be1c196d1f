// expect: comm<> takes two operands
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto y = val<"y">;
constexpr auto z = val<"z">;

constexpr auto p = comm<"Max">(x, y, z);
