// expect: one node<> capture is bound to two operators of the pattern
// expect: Capture<'c', 'o', 'n', 'v'>
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;
constexpr auto conv = node<"conv">;

constexpr auto p = op<"Relu">(op<"Conv">(x, w).as(conv)).as(conv);
