#include <graft/pattern/query.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("a query is a constant with a name, a pattern and conditions") {
  constexpr auto q = query<"convs">(op<"Conv">(x, w, opt(b)).as(conv),
                                    where(predicate<[](const Node&) { return true; }>("never")(conv)));
  const RulePattern table = q;
  CHECK(table.name == "convs");
  CHECK(table.nodes.size() == 5);
  CHECK(table.checks.size() == 1);
  CHECK_FALSE(table.closed);
  CHECK(table.captures[static_cast<std::size_t>(table.nodes[0].slot)] == conv.id);
}

TEST_CASE("a query leaves the attributes that it does not mention open") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2, 3});
  CHECK(match(query<"any">(op<"Softmax">(x)), build.op("Softmax", {&in}, {{"axis", 0}})));
}

TEST_CASE("a closed pattern needs defaults for what it does not mention") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {1, 1, 4, 4});
  Value& weight = build.constant(Tensor(DType::f32, {1, 1, 1, 1}), "weight");
  const auto outcome = [&](const Attributes& attributes, bool reemitted = false) {
    constexpr auto q = query<"closed">(op<"Conv">(x, w).with(attr<"group", std::int64_t>));
    auto copy = q;
    copy.nodes[0].reemitted = reemitted;
    RulePattern table = copy;
    table.closed = true;
    const Linked linked(table, build.graph().model());
    Matcher matcher;
    matcher.run(linked, *build.op("Conv", {&in, &weight}, attributes).producer());
    return explain(table, matcher.state().best);
  };
  CHECK(outcome({}) == "");
  CHECK(outcome({{"strides", {1, 1}}, {"pads", {0, 0, 0, 0}}, {"auto_pad", "NOTSET"}}) == "");
  CHECK(outcome({{"group", 2}}) == "");
  CHECK_THAT(outcome({{"strides", {2, 2}}}), Catch::Contains("has strides, which is not its default"));
  CHECK_THAT(outcome({{"auto_pad", "SAME_UPPER"}}), Catch::Contains("has auto_pad"));
  CHECK_THAT(outcome({{"kernel_shape", {1, 1}}}), Catch::Contains("has kernel_shape"));
  CHECK_THAT(outcome({{"made_up", 1}}), Catch::Contains("has made_up"));
  CHECK(outcome({{"strides", {2, 2}}}, true) == "");
}

TEST_CASE("an operator without a schema has no defaults") {
  Builder build(17);
  build.import("custom", 1);
  Value& in = build.input("in", DType::f32, {1});
  const auto matches = [&](const Attributes& attributes) {
    constexpr auto q = query<"custom">(op<"custom::Thing">(x));
    RulePattern table = q;
    table.closed = true;
    const Linked linked(table, build.graph().model());
    return Matcher().run(linked, *build.op("custom::Thing", {&in}, attributes).producer());
  };
  CHECK(matches({}));
  CHECK_FALSE(matches({{"level", 0}}));
}

TEST_CASE("a param is a mention of the attribute that it is") {
  Builder build(10);
  Value& in = build.input("in", DType::f32, {1});
  constexpr auto q = query<"pad">(op<"Pad">(x).with(param<"constant_value", float>, attr<"pads", Ints>));
  RulePattern table = q;
  table.closed = true;
  const Linked linked(table, build.graph().model());
  CHECK(Matcher().run(linked, *build.op("Pad", {&in}, {{"value", 3.0f}, {"pads", {1, 1}}}).producer()));
  CHECK_FALSE(Matcher().run(linked, *build.op("Pad", {&in}, {{"mode", "edge"}, {"pads", {1, 1}}}).producer()));
}
