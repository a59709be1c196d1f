// expect: only attributes of type int64_t, Axis and float can become lists
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto p = query<"q">(op<"Concat">(each(op<"Pad">(x).with(attr<"mode", std::string_view>))));
