#include <graft/pattern/roots.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {4, 4});
  Value& wq = build.constant(Tensor(DType::f32, {4, 4}), "wq");
  Value& wk = build.constant(Tensor(DType::f32, {4, 2}), "wk");
  Value& wv = build.constant(Tensor(DType::f32, {4, 3}), "wv");

  Value& matmul(Value& by) { return build.op("MatMul", {&in, &by}); }
};

}  // namespace

TEST_CASE("further roots are found from the first, by the users of what it captured") {
  Small m;
  constexpr auto qkv =
      roots(op<"MatMul">(x, cst<"wq">), op<"MatMul">(x, cst<"wk">), op<"MatMul">(x, cst<"wv">));
  Value& q = m.matmul(m.wq);
  Value& k = m.matmul(m.wk);
  CHECK(match(qkv, q).failure().why == Why::no_further_root);
  Value& v = m.matmul(m.wv);
  const auto found = match(qkv, q);
  REQUIRE(found);
  REQUIRE(found.roots().size() == 3);
  CHECK(found.roots()[0] == q.producer());
  CHECK(found.roots()[1] == k.producer());
  CHECK(found.roots()[2] == v.producer());
  CHECK(&found[cst<"wv">] == &m.wv);
}

TEST_CASE("another user is tried where the first one does not fit") {
  Small m;
  constexpr auto p = roots(op<"MatMul">(x, w), op<"MatMul">(x, cst<"v">.shape(4, 3)));
  Value& q = m.matmul(m.wq);
  m.matmul(m.wk);
  CHECK_FALSE(match(p, q));
  Value& v = m.matmul(m.wv);
  const auto found = match(p, q);
  REQUIRE(found);
  CHECK(found.roots()[1] == v.producer());
}

TEST_CASE("a root can lie further down than the shared value") {
  Small m;
  constexpr auto p = roots(op<"Relu">(x), op<"Neg">(comm<"Add">(w, op<"Exp">(x))));
  Value& relu = m.build.op("Relu", {&m.in});
  Value& neg = m.build.op("Neg", {&m.build.op("Add", {&m.build.op("Exp", {&m.in}), &m.wq})});
  m.build.op("Neg", {&m.build.op("Exp", {&m.in})});
  const auto found = match(p, relu);
  REQUIRE(found);
  CHECK(found.roots()[1] == neg.producer());
}

TEST_CASE("the outputs of one node can each have a root") {
  Small m;
  constexpr auto split = node<"split">;
  constexpr auto p = roots(op<"Relu">(op<"Split">(x).as(split)), op<"Exp">(split.out(1)));
  Node& halves = m.build.node("Split", {&m.in}, 2);
  Value& relu = m.build.op("Relu", {halves.output(0)});
  CHECK_FALSE(match(p, relu));
  Value& exp = m.build.op("Exp", {halves.output(1)});
  const auto found = match(p, relu);
  REQUIRE(found);
  CHECK(found.roots()[1] == exp.producer());
  CHECK(&found[split] == &halves);
}

TEST_CASE("the roots may use each other's inner values, others may not") {
  Small m;
  constexpr auto p = roots(op<"Neg">(op<"Relu">(x).as(act)), op<"Exp">(act.out(0)));
  Value& relu = m.build.op("Relu", {&m.in});
  Value& neg = m.build.op("Neg", {&relu});
  m.build.op("Exp", {&relu});
  CHECK(match(p, neg));
  m.build.op("Tanh", {&relu});
  CHECK_FALSE(match(p, neg));
}
