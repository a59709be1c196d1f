// expect: .with(...) takes attributes
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

constexpr auto p = op<"Concat">(x).with(w);
