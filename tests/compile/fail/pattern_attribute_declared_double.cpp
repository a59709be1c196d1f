// expect: an attribute is declared as int64_t, float, bool
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto alpha = attr<"alpha", double>;

constexpr auto p = query<"q">(op<"Elu">(x).with(alpha));
