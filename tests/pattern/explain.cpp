#include <graft/pattern/explain.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {2});
};

}  // namespace

TEST_CASE("explain says what every candidate lacks") {
  Small m;
  m.build.graph().rename(*m.build.op("Relu", {&m.in}).producer(), "first");
  Value& neg = m.build.op("Neg", {&m.in});
  m.build.graph().rename(*m.build.op("Relu", {&neg}).producer(), "second");
  constexpr auto q = query<"relu of neg">(op<"Relu">(op<"Neg">(x)));
  const auto outcomes = explain(q, m.build.graph());
  REQUIRE(outcomes.size() == 2);
  CHECK_FALSE(outcomes[0].matched);
  CHECK(outcomes[0].text == "Relu 'first': input 0 is graph input %in, expected Neg");
  CHECK(outcomes[0].failure.why == Why::op);
  CHECK(outcomes[1].matched);
  CHECK(outcomes[1].text == "Relu 'second': matched");
}

TEST_CASE("the failure is that of the attempt that matched the most nodes") {
  Small m;
  // The first branch gets one node further than the second.
  constexpr auto p = op<"Neg">(either(op<"Relu">(op<"Exp">(op<"Log">(x))), op<"Relu">(op<"Tanh">(x))));
  Value& exp = m.build.op("Exp", {&m.in});
  Value& root = m.build.op("Neg", {&m.build.op("Relu", {&exp})});
  const auto refused = match(p, root);
  CHECK(refused.failure().matched == 3);
  CHECK_THAT(refused.reason(), Catch::Contains("expected Log"));
}

TEST_CASE("of failures that got equally far the first in written order is reported") {
  Small m;
  Node& sum = *m.build.op("Add", {&m.build.op("Exp", {&m.in}), &m.build.op("Tanh", {&m.in})}).producer();
  m.build.graph().rename(sum, "sum");
  const auto refused = match(comm<"Add">(op<"Relu">(x), y), *sum.output(0));
  CHECK_THAT(refused.reason(), Catch::StartsWith("input 0 of Add 'sum' is Exp"));
}

TEST_CASE("another value of an attribute is reported") {
  Small m;
  const auto reason = [&](const auto& pattern, std::string_view op, const Attribute& attribute) {
    return match(pattern, m.build.op(op, {&m.in}, {attribute})).reason();
  };
  constexpr auto mode = attr<"approximate", std::string_view>;
  CHECK_THAT(reason(op<"LeakyRelu">(x).with(alpha == 0.1f), "LeakyRelu", {"alpha", 0.2f}),
             Catch::Contains("is 0.2, expected alpha=0.1"));
  CHECK_THAT(reason(op<"Gelu">(x).with(mode == "none"), "Gelu", {"approximate", "tanh"}),
             Catch::Contains("is \"tanh\", expected approximate=\"none\""));
  CHECK_THAT(reason(op<"HardSigmoid">(x).with(alpha == 1.f / 6), "HardSigmoid", {"alpha", 0.1666667f}),
             Catch::Contains("is 0.1666667, expected alpha=0.16666667"));
  CHECK_THAT(reason(op<"Transpose">(x).with(attr<"perm", Ints> == ints(1, 0)), "Transpose", {"perm", Ints{0, 1}}),
             Catch::Contains("is [0,1], expected perm=[1,0]"));
  CHECK_THAT(reason(op<"Cast">(x).with(attr<"to", DType> == DType::f16), "Cast", {"to", DType::f64}),
             Catch::Contains("is f64, expected to=f16"));
  CHECK_THAT(match(op<"LeakyRelu">(x).with(alpha == 0.1f), m.build.op("LeakyRelu", {&m.in})).reason(),
             Catch::Contains("is absent, and its default is another, expected alpha=0.1"));
  CHECK_THAT(reason(op<"LogSoftmax">(x).with(attr<"axis", std::int64_t> == 1), "LogSoftmax", {"axis", 0}),
             Catch::Contains("is 0, expected axis=1"));
}

TEST_CASE("a search that costs too much is given up, and says so") {
  Small m;
  std::vector<Value*> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(&m.build.op("Relu", {&m.in}));
  Node& wide = m.build.graph().insert("Concat", inputs, 1);
  constexpr auto relu = op<"Relu">(x);
  constexpr auto q = query<"hopeless">(op<"Concat">(rest<>, relu, rest<>, relu, rest<>, relu, rest<>, relu, rest<>,
                                                    op<"Neg">(y), rest<>));
  const RulePattern table = q;
  const Linked linked(table, m.build.graph().model());
  Matcher matcher(1000);
  CHECK_FALSE(matcher.run(linked, wide));
  CHECK(matcher.state().best.why == Why::budget);
  CHECK(explain(table, matcher.state().best) == "the budget of steps is spent");
}

TEST_CASE("an operand below a chain is reported as an operand of its last link") {
  Small m;
  Value& flat = m.build.op("Flatten", {&m.in});
  const auto refused = match(op<"Neg">(chain(op<"Flatten">, op<"Relu">(x))), m.build.op("Neg", {&flat}));
  CHECK_THAT(refused.reason(), Catch::Contains("input 0 of Flatten") && Catch::Contains("expected Relu"));
}
