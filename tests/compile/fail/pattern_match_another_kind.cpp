// expect: m[...] names a capture that the pattern binds as another kind
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;

void f(Node& n) { (void)match(op<"Relu">(x), n)[cst<"x">]; }
