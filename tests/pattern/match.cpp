#include <graft/pattern/match.hpp>

#include <utility>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {2});
  Value& first = build.op("Relu", {&in});
  Value& second = build.op("Relu", {&first});
};

}  // namespace

TEST_CASE("a pattern is matched at a node, or at the value that its root makes") {
  Small m;
  Node& split = m.build.node("Split", {&m.in}, 2);
  CHECK(match(op<"Split">(x), split));
  CHECK(match(op<"Split">(x), *split.output(0)));
  CHECK_FALSE(match(op<"Split">(x), *split.output(1)));
  CHECK_FALSE(match(op<"Split">(x), m.in));
  CHECK(match(x, m.in));
  CHECK_FALSE(match(w, m.in));
}

TEST_CASE("a match keeps what it bound when it is moved") {
  Small m;
  auto found = match(op<"Max">(more).as(act), m.build.op("Max", {&m.in, &m.first}));
  const auto moved = std::move(found);
  REQUIRE(moved);
  CHECK(moved[more][1] == &m.first);
  CHECK(&moved[act] == &moved.root());
  CHECK(moved.reason() == "");
}

TEST_CASE("find_all finds every match in topological order") {
  Small m;
  const auto relus = find_all(query<"relus">(op<"Relu">(x)), m.build.graph());
  REQUIRE(relus.size() == 2);
  CHECK(&relus[0].root() == m.first.producer());
  CHECK(&relus[1][x] == &m.first);
  CHECK(find_all(query<"pairs">(op<"Relu">(op<"Relu">(x))), m.build.graph()).size() == 1);
  CHECK(find_all(query<"all">(any_op(rest<>)), m.build.graph()).size() == 2);
}

TEST_CASE("a value that a leaf takes as well is not inner") {
  Small m;
  Value& product = m.build.op("MatMul", {&m.in, &m.in});
  const auto twice = match(comm<"Add">(op<"MatMul">(x, y), b), m.build.op("Add", {&product, &product}));
  CHECK_FALSE(twice);
  CHECK(twice.failure().why == Why::used_elsewhere);
  CHECK(match(comm<"Add">(op<"MatMul">(x, y).shared(), b), m.build.op("Add", {&m.in, &product})));
  Value& last = m.build.op("Max", {&m.second, &m.first, &m.second});
  CHECK_FALSE(match(op<"Max">(op<"Relu">(x), more), last));
}

TEST_CASE("a value that is inner at two places is inner") {
  Small m;
  CHECK(match(op<"Mul">(op<"Relu">(x), op<"Relu">(x)), m.build.op("Mul", {&m.second, &m.second})));
  Node& split = m.build.node("Split", {&m.in}, 2);
  const auto halves = op<"Sub">(op<"Split">(x).as(conv), conv.out(1));
  CHECK(match(halves, m.build.op("Sub", {split.output(0), split.output(1)})));
  Value& own = m.build.op("Relu", {&m.in});
  CHECK(match(op<"Max">(b, each(op<"Relu">(any))), m.build.op("Max", {&m.in, &own, &own})));
}
