#include <graft/pattern/chain.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

constexpr auto movement = one_of<"Transpose", "Reshape", "Flatten">;
constexpr auto moves = node<"moves">;

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {2, 3});
  Value& to = build.constant(Tensor::of<std::int64_t>({1}, {6}), "to");
  Value& relu = build.op("Relu", {&in});
};

}  // namespace

TEST_CASE("a chain is zero or more unary nodes, listed from its source on") {
  Small m;
  constexpr auto p = op<"Exp">(chain(movement, op<"Relu">(x)).as(moves));
  Value& transposed = m.build.op("Transpose", {&m.relu});
  Value& reshaped = m.build.op("Reshape", {&transposed, &m.to});
  const auto found = match(p, m.build.op("Exp", {&reshaped}));
  REQUIRE(found);
  REQUIRE(found[moves].size() == 2);
  CHECK(found[moves][0] == transposed.producer());
  CHECK(found[moves][1] == reshaped.producer());
  CHECK(&found[x] == &m.in);
  CHECK(found.nodes().size() == 4);

  const auto direct = match(p, m.build.op("Exp", {&m.build.op("Relu", {&m.in})}));
  REQUIRE(direct);
  CHECK(direct[moves].empty());
  CHECK_FALSE(match(p, m.build.op("Exp", {&m.build.op("Transpose", {&m.in})})));
}

TEST_CASE("every link is used once") {
  Small m;
  constexpr auto p = op<"Exp">(chain(movement, x));
  Value& first = m.build.op("Transpose", {&m.in});
  Value& second = m.build.op("Transpose", {&first});
  Value& root = m.build.op("Exp", {&second});
  CHECK(&match(p, root)[x] == &m.in);
  m.build.op("Neg", {&first});
  CHECK(&match(p, root)[x] == &first);
  m.build.output(second);
  CHECK(&match(p, root)[x] == &second);
}

TEST_CASE("the other inputs of a link are constants") {
  Small m;
  Value& shape = m.build.input("shape", DType::i64, {1});
  Value& reshaped = m.build.op("Reshape", {&m.in, &shape});
  CHECK(&match(op<"Exp">(chain(movement, x)), m.build.op("Exp", {&reshaped}))[x] == &reshaped);
}

TEST_CASE("a chain is shortened for what follows it") {
  Small m;
  constexpr auto p = op<"Exp">(chain(movement, op<"Transpose">(x)).as(moves));
  Value& first = m.build.op("Transpose", {&m.in});
  Value& second = m.build.op("Flatten", {&first});
  const auto found = match(p, m.build.op("Exp", {&second}));
  REQUIRE(found);
  CHECK(found[moves].size() == 1);
  CHECK(&found[x] == &m.in);
}

TEST_CASE("a chain may be the root, and its last link is used as it may") {
  Small m;
  constexpr auto p = chain(movement, op<"Relu">(x)).as(moves);
  Value& transposed = m.build.op("Transpose", {&m.relu});
  m.build.op("Exp", {&transposed});
  m.build.op("Neg", {&transposed});
  const auto found = match(p, *transposed.producer());
  REQUIRE(found);
  CHECK(found[moves].size() == 1);
  CHECK(match(p, *m.build.op("Relu", {&m.in}).producer())[moves].empty());
}

TEST_CASE("a long chain costs no stack") {
  Small m;
  Value* value = &m.relu;
  for (int i = 0; i < 20000; ++i) value = &m.build.op("Transpose", {value});
  const auto found = match(op<"Exp">(chain(op<"Transpose">, op<"Relu">(x)).as(moves)), m.build.op("Exp", {value}));
  REQUIRE(found);
  CHECK(found[moves].size() == 20000);
}
