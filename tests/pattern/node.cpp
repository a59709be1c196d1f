#include <graft/pattern/node.hpp>

#include <type_traits>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("as binds a node") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {4});
  Value& relu = build.op("Relu", {&in});
  const auto found = match(op<"Neg">(op<"Relu">(x).as(act)), build.op("Neg", {&relu}));
  REQUIRE(found);
  STATIC_REQUIRE(std::is_same_v<decltype(found[act]), Node&>);
  CHECK(&found[act] == relu.producer());
}

TEST_CASE("nodes and values have separate name spaces") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {4});
  Value& relu = build.op("Relu", {&in});
  const auto found = match(op<"Relu">(val<"same">).as(node<"same">), relu);
  REQUIRE(found);
  CHECK(&found[val<"same">] == &in);
  CHECK(&found[node<"same">] == relu.producer());
}

TEST_CASE("out names an output of a node that is bound elsewhere, before or after") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {4});
  Value& mean = build.op("ReduceMean", {&in});
  Value& difference = build.op("Sub", {&in, &mean});
  constexpr auto d = node<"d">;
  Value& square = build.op("Mul", {&difference, &difference});
  Value& root = build.op("Div", {&difference, &square});
  constexpr auto bound_first = op<"Div">(op<"Sub">(x, op<"ReduceMean">(x)).as(d), op<"Mul">(d.out(0), d.out(0)));
  constexpr auto bound_last = op<"Div">(d.out(0), op<"Mul">(op<"Sub">(x, op<"ReduceMean">(x)).as(d), d.out(0)));
  CHECK(match(bound_first, root));
  CHECK(match(bound_last, root));

  Value& twin = build.op("Sub", {&in, &mean});
  Value& other = build.op("Mul", {&twin, &twin});
  CHECK_FALSE(match(bound_first, build.op("Div", {&difference, &other})));
}

TEST_CASE("out takes that output and no other") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {4});
  Node& split = build.node("Split", {&in}, 2);
  Value& sum = build.op("Add", {split.output(0), split.output(1)});
  constexpr auto halves = node<"halves">;
  CHECK(match(op<"Add">(op<"Split">(x).as(halves), halves.out(1)), sum));
  const auto refused = match(op<"Add">(op<"Split">(x).as(halves), halves.out(0)), sum);
  CHECK(refused.failure().why == Why::other_output);
}
