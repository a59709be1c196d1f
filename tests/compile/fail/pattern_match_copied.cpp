// expect: a Value lives in its graph: hold it as Value&, const auto& or Value*
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;

std::size_t uses_of_operand(Value& value) {
  const auto m = match(op<"Relu">(x), value);
  auto operand = m[x];
  return operand.use_count();
}
