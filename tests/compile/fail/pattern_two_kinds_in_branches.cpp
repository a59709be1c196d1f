// expect: one capture name is used for two different kinds of capture
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto p = either(op<"Relu">(x), op<"Tanh">(cst<"x">));
