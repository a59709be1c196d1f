#include <graft/pattern/operator.hpp>

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

bool says(const auto& match, std::string_view part) { return match.reason().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("op matches one operator of one domain") {
  Small m;
  m.build.import("com.microsoft", 1);
  Value& relu = m.build.op("Relu", {&m.in});
  CHECK(match(op<"Relu">(x), relu));
  const auto refused = match(op<"Sigmoid">(x), relu);
  CHECK_FALSE(refused);
  CHECK(says(refused, "the root is Relu"));
  CHECK(says(refused, "expected Sigmoid"));
  Value& gelu = m.build.op("com.microsoft::Gelu", {&m.in});
  CHECK(match(op<"com.microsoft::Gelu">(x), gelu));
  CHECK_FALSE(match(op<"Gelu">(x), gelu));
  CHECK(match(op<"ai.onnx::Relu">(x), relu));
}

TEST_CASE("a pattern is walked up through producers") {
  Small m;
  Value& tree = m.build.op("Add", {&m.build.op("Relu", {&m.in}), &m.build.op("Neg", {&m.other})});
  const auto found = match(op<"Add">(op<"Relu">(x), op<"Neg">(y)), tree);
  REQUIRE(found);
  CHECK(&found[x] == &m.in);
  CHECK(&found[y] == &m.other);
  const auto refused = match(op<"Add">(op<"Relu">(x), op<"Exp">(y)), tree);
  CHECK(says(refused, "input 1 of Add"));
  CHECK(says(refused, "expected Exp"));
  CHECK(says(match(op<"Neg">(op<"Relu">(x)), m.build.op("Neg", {&m.in})), "graph input %in, expected Relu"));
}

TEST_CASE("inputs that no operand stands for must be absent") {
  Small m;
  Value& clip = m.build.op("Clip", {&m.in, nullptr, &m.two});
  CHECK_FALSE(match(op<"Clip">(x), clip));
  CHECK(says(match(op<"Clip">(x), clip), "has more inputs than the pattern"));
  CHECK(says(match(op<"Clip">(x, any, any, any), clip), "input 1 of Clip"));

  // "" at the end is the same as nothing.
  onnx::NodeProto payload;
  payload.set_op_type("Clip");
  payload.add_input();
  payload.add_input();
  payload.add_input();
  payload.add_output();
  Value* const inputs[] = {&m.in, nullptr, nullptr};
  CHECK(match(op<"Clip">(x), *m.build.graph().insert(payload, inputs, 1).output(0)));
}

TEST_CASE("one_of matches any of several operators, any_op all of them") {
  Small m;
  Value& relu = m.build.op("Relu", {&m.in});
  Value& tanh = m.build.op("Tanh", {&m.in});
  constexpr auto either_one = one_of<"Relu", "LeakyRelu">(x).as(act);
  CHECK(&match(either_one, relu)[act] == relu.producer());
  CHECK_FALSE(match(either_one, tanh));
  CHECK(says(match(either_one, tanh), "expected Relu or LeakyRelu"));
  CHECK(match(any_op(x), tanh));
  CHECK_FALSE(match(any_op(x), m.build.op("Add", {&m.in, &m.two})));
  CHECK(match(any_op(rest<>), m.build.op("Add", {&m.in, &m.two})));
}

TEST_CASE("comm takes its operands in either order") {
  Small m;
  Value& relu = m.build.op("Relu", {&m.in});
  CHECK(match(comm<"Add">(op<"Relu">(x), w), m.build.op("Add", {&relu, &m.two})));
  Value& other = m.build.op("Relu", {&m.other});
  const auto found = match(comm<"Add">(op<"Relu">(x), w), m.build.op("Add", {&m.two, &other}));
  REQUIRE(found);
  CHECK(&found[x] == &m.other);
  CHECK_FALSE(match(op<"Add">(op<"Relu">(x), w), m.build.op("Add", {&m.two, &m.in})));
  CHECK(match(comm<"Add", "Mul">(w, x), m.build.op("Mul", {&m.in, &m.two})));
}

TEST_CASE("a later sibling can make comm try its other order") {
  Small m;
  Value& sum = m.build.op("Add", {&m.in, &m.other});
  // The inner Add matches in its first order; only the second one agrees with the outer operand.
  CHECK(match(op<"Mul">(comm<"Add">(x, y), x), m.build.op("Mul", {&sum, &m.in})));
  Value& again = m.build.op("Add", {&m.in, &m.other});
  const auto found = match(op<"Mul">(comm<"Add">(x, y), x), m.build.op("Mul", {&again, &m.other}));
  REQUIRE(found);
  CHECK(&found[x] == &m.other);
  CHECK(&found[y] == &m.in);
}

TEST_CASE("comm within comm is tried in every combination") {
  Small m;
  Value& a = m.build.input("a", DType::f32, {4});
  constexpr auto p = comm<"Mul">(comm<"Add">(val<"p">, val<"q">), comm<"Max">(val<"q">, val<"r">));
  for (const bool outer : {false, true}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        Value& sum = left ? m.build.op("Add", {&m.in, &a}) : m.build.op("Add", {&a, &m.in});
        Value& greater = right ? m.build.op("Max", {&m.other, &a}) : m.build.op("Max", {&a, &m.other});
        Value& product = outer ? m.build.op("Mul", {&sum, &greater}) : m.build.op("Mul", {&greater, &sum});
        const auto found = match(p, product);
        REQUIRE(found);
        CHECK(&found[val<"q">] == &a);
      }
    }
  }
}

TEST_CASE("since and before bound the version of the operator's domain") {
  Small m;
  m.build.import("com.microsoft", 1);
  Value& relu = m.build.op("Relu", {&m.in});
  CHECK(match(op<"Relu">(x).since(17), relu));
  CHECK(match(op<"Relu">(x).since(9).before(18), relu));
  const auto refused = match(op<"Relu">(x).since(18), relu);
  CHECK(refused.failure().why == Why::opset);
  CHECK(says(refused, "is of opset 17, expected since 18"));
  CHECK_FALSE(match(op<"Relu">(x).before(17), relu));
  CHECK_FALSE(match(op<"com.microsoft::Gelu">(x).since(2), m.build.op("com.microsoft::Gelu", {&m.in})));
}

TEST_CASE("an operand is an operator's first output unless out says otherwise") {
  Small m;
  Node& split = m.build.node("Split", {&m.in}, 2);
  Value& relu = m.build.op("Relu", {split.output(1)});
  CHECK_FALSE(match(op<"Relu">(op<"Split">(x)), relu));
  CHECK(says(match(op<"Relu">(op<"Split">(x)), relu), "is output 1 of Split"));
  CHECK(match(op<"Relu">(op<"Split">(x).out(1)), relu));
  CHECK(match(op<"Split">(x).out(1), *split.output(1)));
  CHECK_FALSE(match(op<"Split">(x).out(1), *split.output(0)));
  CHECK(match(op<"Split">(x), split));
}

TEST_CASE("an inner value that is used from outside fails the match unless it may be shared") {
  Small m;
  constexpr auto closed = op<"Neg">(op<"Relu">(x));
  constexpr auto open = op<"Neg">(op<"Relu">(x).shared());
  SECTION("by another node") {
    Value& relu = m.build.op("Relu", {&m.in});
    Value& neg = m.build.op("Neg", {&relu});
    m.build.op("Exp", {&relu});
    CHECK(says(match(closed, neg), "an output of Relu"));
    CHECK(says(match(closed, neg), "is also used by Exp"));
    CHECK(match(open, neg));
  }
  SECTION("as a graph output") {
    Value& relu = m.build.op("Relu", {&m.in});
    Value& neg = m.build.op("Neg", {&relu});
    m.build.output(relu);
    CHECK(says(match(closed, neg), "is a graph output"));
    CHECK(match(open, neg));
  }
  SECTION("through its other output") {
    Node& split = m.build.node("Split", {&m.in}, 2);
    Value& neg = m.build.op("Neg", {split.output(0)});
    CHECK(match(op<"Neg">(op<"Split">(x)), neg));
    m.build.op("Exp", {split.output(1)});
    CHECK_FALSE(match(op<"Neg">(op<"Split">(x)), neg));
  }
  SECTION("not by the pattern itself") {
    Value& relu = m.build.op("Relu", {&m.in});
    CHECK(match(op<"Mul">(op<"Relu">(x), op<"Relu">(x)), m.build.op("Mul", {&relu, &relu})));
  }
  SECTION("nor does it matter who uses the root") {
    Value& neg = m.build.op("Neg", {&m.build.op("Relu", {&m.in})});
    m.build.output(neg);
    m.build.op("Exp", {&neg});
    CHECK(match(closed, neg));
  }
}

TEST_CASE("an inner value that a subgraph captures fails the match") {
  onnx::GraphProto body;
  body.set_name("body");
  onnx::NodeProto& inside = *body.add_node();
  inside.set_op_type("Identity");
  inside.add_input("inner");
  inside.add_output("taken");
  body.add_output()->set_name("taken");

  Small m;
  Value& relu = m.build.op("Relu", {&m.in});
  m.build.graph().rename(relu, "inner");
  Value& neg = m.build.op("Neg", {&relu});
  Value& condition = m.build.input("condition", DType::boolean, {});
  m.build.op("If", {&condition}, {{"then_branch", body}, {"else_branch", body}});
  const auto refused = match(op<"Neg">(op<"Relu">(x)), neg);
  CHECK(refused.failure().why == Why::used_in_body);
  CHECK(match(op<"Neg">(op<"Relu">(x).shared()), neg));
}
