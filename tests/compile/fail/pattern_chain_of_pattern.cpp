// expect: chain(...) takes op<...>, one_of<...> or any_op, without operands
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

constexpr auto p = chain(op<"Relu">(x), w);
