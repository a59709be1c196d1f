// expect: need a function that returns a number, string, Ints, Floats or Tensor
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;
constexpr auto axis = attr<"axis", Axis>;

const Value* address(const Value& value) { return &value; }

constexpr auto p = op<"Relu">(x).with(axis = call<address>(w));
