// expect: out(...) names a node that the pattern does not bind
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto conv = node<"conv">;

constexpr auto p = query<"q">(op<"Relu">(conv.out(1)));
