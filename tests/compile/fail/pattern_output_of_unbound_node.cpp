// expect: out(...) names a node that the pattern does not bind
// expect: Capture<'c', 'o', 'n', 'v'>
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto conv = node<"conv">;

constexpr auto p = query<"q">(op<"Relu">(conv.out(1)));
