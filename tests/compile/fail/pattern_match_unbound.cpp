// expect: m[...] names a capture that the pattern does not bind
// expect: Capture<'w'>
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

void f(Node& n) { (void)match(op<"Relu">(x), n)[w]; }
