#include <graft/pattern/either.hpp>

#include <type_traits>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {4});
  Value& other = build.input("other", DType::f32, {4});
  Value& two = build.constant(Tensor::scalar(2.0f), "two");
};

}  // namespace

TEST_CASE("either matches one of its patterns, the first that fits") {
  Small m;
  constexpr auto p = either(op<"Pow">(x, w), op<"Mul">(x, x));
  STATIC_REQUIRE(std::is_same_v<decltype(match(p, m.in)[x]), Value&>);
  STATIC_REQUIRE(std::is_same_v<decltype(match(p, m.in)[w]), Value*>);
  const auto power = match(p, m.build.op("Pow", {&m.in, &m.two}));
  REQUIRE(power);
  CHECK(power[w] == &m.two);
  const auto product = match(p, m.build.op("Mul", {&m.in, &m.in}));
  REQUIRE(product);
  CHECK(&product[x] == &m.in);
  CHECK(product[w] == nullptr);
  CHECK_FALSE(match(p, m.build.op("Mul", {&m.in, &m.other})));
  CHECK_FALSE(match(p, m.build.op("Add", {&m.in, &m.in})));
}

TEST_CASE("either takes several patterns") {
  Small m;
  constexpr auto p = either(op<"Relu">(x), op<"Neg">(x), op<"Exp">(x));
  CHECK(match(p, m.build.op("Relu", {&m.in})));
  CHECK(match(p, m.build.op("Neg", {&m.in})));
  CHECK(match(p, m.build.op("Exp", {&m.in})));
  CHECK_FALSE(match(p, m.build.op("Log", {&m.in})));
}

TEST_CASE("what follows can send either to its other branch") {
  Small m;
  // Both branches match the inner node; the outer operand agrees with the second only.
  constexpr auto p = op<"Sub">(either(op<"Add">(x, y), op<"Add">(y, x)), x);
  Value& sum = m.build.op("Add", {&m.in, &m.other});
  const auto found = match(p, m.build.op("Sub", {&sum, &m.other}));
  REQUIRE(found);
  CHECK(&found[x] == &m.other);
}

TEST_CASE("a branch that failed leaves nothing bound") {
  Small m;
  constexpr auto p = op<"Neg">(either(op<"Add">(val<"p">, op<"Relu">(any)), op<"Add">(any, y)));
  Value& sum = m.build.op("Add", {&m.in, &m.other});
  const auto found = match(p, m.build.op("Neg", {&sum}));
  REQUIRE(found);
  CHECK(found[val<"p">] == nullptr);
  CHECK(found[y] == &m.other);
}

TEST_CASE("a branch that was given up does not count as the pattern's own use") {
  Small m;
  Value& relu = m.build.op("Relu", {&m.in});
  Value& root = m.build.op("Add", {&relu, &m.build.op("Exp", {&relu})});
  constexpr auto p = op<"Add">(either(op<"Relu">(x), y), any);
  CHECK(match(p, root)[y] == &relu);  // as an inner value, Relu is used elsewhere
}

TEST_CASE("Gelu in any association of its products") {
  Small m;
  Value& root2 = m.build.constant(Tensor::scalar(1.41421356f), "root2");
  Value& one = m.build.constant(Tensor::scalar(1.0f), "one");
  Value& half = m.build.constant(Tensor::scalar(0.5f), "half");
  constexpr auto erf1 = comm<"Add">(op<"Erf">(op<"Div">(x, cst<"root2">)), cst<"one">.all_equal(1));
  constexpr auto h = cst<"half">.all_equal(0.5);
  constexpr auto gelu = either(comm<"Mul">(comm<"Mul">(x, erf1), h), comm<"Mul">(x, comm<"Mul">(erf1, h)),
                               comm<"Mul">(comm<"Mul">(x, h), erf1));
  const auto mul = [&](Value& p, Value& q) -> Value& { return m.build.op("Mul", {&p, &q}); };
  const auto erf = [&]() -> Value& {
    return m.build.op("Add", {&one, &m.build.op("Erf", {&m.build.op("Div", {&m.in, &root2})})});
  };
  CHECK(match(gelu, mul(half, mul(erf(), m.in))));
  CHECK(match(gelu, mul(mul(half, erf()), m.in)));
  CHECK(match(gelu, mul(mul(m.in, half), erf())));
  CHECK_FALSE(match(gelu, mul(half, mul(erf(), m.other))));
  CHECK_FALSE(match(gelu, mul(one, mul(erf(), m.in))));
}
