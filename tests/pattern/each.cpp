#include <graft/pattern/each.hpp>

#include <span>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& p = build.input("p", DType::f32, {2, 3});
  Value& q = build.input("q", DType::f32, {2, 3});
  Value& r = build.input("r", DType::f32, {2, 3});
  Value& one = build.constant(Tensor::scalar(1.0f), "one");
  Value& two = build.constant(Tensor::scalar(2.0f), "two");

  Value& relu(Value& of) { return build.op("Relu", {&of}); }
  Value& dq(Value& of, Value& scale) { return build.op("DequantizeLinear", {&of, &scale}); }
  Value& concat(std::initializer_list<Value*> inputs) { return build.op("Concat", inputs, {{"axis", 0}}); }
};

std::vector<Value*> vector(std::span<Value* const> list) { return {list.begin(), list.end()}; }

}  // namespace

TEST_CASE("each matches every remaining input, and captures become lists") {
  Small m;
  constexpr auto all = op<"Concat">(each(op<"Relu">(x).as(act))).with(axis);
  Value& first = m.relu(m.p);
  Value& second = m.relu(m.q);
  const auto found = match(all, m.concat({&first, &second}));
  REQUIRE(found);
  STATIC_REQUIRE(std::is_same_v<decltype(found[x]), std::span<Value* const>>);
  CHECK(vector(found[x]) == std::vector<Value*>{&m.p, &m.q});
  REQUIRE(found[act].size() == 2);
  CHECK(found[act][1] == second.producer());
  CHECK_FALSE(match(all, m.concat({&m.relu(m.p), &m.q})));
  CHECK(match(op<"Concat">(y, each(op<"Relu">(x))), m.concat({&m.q, &m.relu(m.p)})));
}

TEST_CASE("a capture that is also bound outside must agree in every round") {
  Small m;
  constexpr auto p = op<"QuantizeLinear">(op<"Concat">(each(op<"DequantizeLinear">(x, s))), s);
  const auto quantized = [&](Value& scale, Value& other) -> Value& {
    return m.build.op("QuantizeLinear", {&m.concat({&m.dq(m.p, scale), &m.dq(m.q, other)}), &m.one});
  };
  const auto found = match(p, quantized(m.one, m.one));
  REQUIRE(found);
  STATIC_REQUIRE(std::is_same_v<decltype(found[s]), Value&>);
  CHECK(found[x].size() == 2);
  CHECK_FALSE(match(p, quantized(m.one, m.two)));
  CHECK_FALSE(match(p, quantized(m.two, m.two)));
}

TEST_CASE("a capture that stands twice below each agrees within a round") {
  Small m;
  constexpr auto p = op<"Concat">(each(op<"Mul">(x, x)));
  const auto square = [&](Value& of, Value& other) -> Value& { return m.build.op("Mul", {&of, &other}); };
  const auto found = match(p, m.concat({&square(m.p, m.p), &square(m.q, m.q)}));
  REQUIRE(found);
  CHECK(vector(found[x]) == std::vector<Value*>{&m.p, &m.q});
  CHECK_FALSE(match(p, m.concat({&square(m.p, m.p), &square(m.q, m.r)})));
}

TEST_CASE("what is absent in a round is nullptr in its list") {
  Small m;
  constexpr auto p = op<"Concat">(each(op<"Clip">(x, opt(b))));
  Value& bare = m.build.op("Clip", {&m.p});
  Value& bounded = m.build.op("Clip", {&m.q, &m.one});
  Value& last = m.build.op("Clip", {&m.r});
  const auto found = match(p, m.concat({&bare, &bounded, &last}));
  REQUIRE(found);
  CHECK(vector(found[b]) == std::vector<Value*>{nullptr, &m.one, nullptr});

  constexpr auto q = op<"Concat">(each(either(op<"Relu">(x), y)));
  const auto mixed = match(q, m.concat({&m.p, &m.relu(m.q), &m.r}));
  REQUIRE(mixed);
  CHECK(vector(mixed[x]) == std::vector<Value*>{nullptr, &m.q, nullptr});
  CHECK(vector(mixed[y]) == std::vector<Value*>{&m.p, nullptr, &m.r});
}

TEST_CASE("attributes below each are lists of numbers") {
  Small m;
  const auto leaky = [&](Value& of, float slope) -> Value& {
    return m.build.op("LeakyRelu", {&of}, {{"alpha", slope}});
  };
  constexpr auto slopes = op<"Concat">(each(op<"LeakyRelu">(x).with(alpha)));
  const auto found = match(slopes, m.concat({&leaky(m.p, 1), &leaky(m.q, 2)}));
  REQUIRE(found);
  STATIC_REQUIRE(std::is_same_v<decltype(found[alpha]), std::span<const float>>);
  CHECK(found[alpha][0] == 1);
  CHECK(found[alpha][1] == 2);

  const auto softmax = [&](Value& of, int which) -> Value& { return m.build.op("Softmax", {&of}, {{"axis", which}}); };
  constexpr auto counted = op<"Concat">(each(op<"Softmax">(x).with(axis)));
  const auto axes = match(counted, m.concat({&softmax(m.p, -1), &softmax(m.q, 0)}));
  REQUIRE(axes);
  CHECK(axes[axis][0] == 1);
  CHECK(axes[axis][1] == 0);
}

TEST_CASE("a choice in an early round is taken again for the sake of a later one") {
  Small m;
  // y is the same in all rounds: in the first one, both orders of Add fit.
  constexpr auto p = op<"Concat">(each(comm<"Add">(x, y)), y);
  const auto add = [&](Value& a, Value& b_) -> Value& { return m.build.op("Add", {&a, &b_}); };
  const auto found = match(p, m.concat({&add(m.p, m.q), &add(m.p, m.r), &m.p}));
  REQUIRE(found);
  CHECK(vector(found[x]) == std::vector<Value*>{&m.q, &m.r});
  CHECK(&found[y] == &m.p);
  CHECK_FALSE(match(p, m.concat({&add(m.p, m.q), &add(m.q, m.r), &m.p})));
}

TEST_CASE("each over no input binds empty lists") {
  Small m;
  const auto found = match(op<"Concat">(y, each(op<"Relu">(x))), m.concat({&m.p}));
  REQUIRE(found);
  CHECK(found[x].empty());
}

TEST_CASE("inner values of every round must not be used elsewhere") {
  Small m;
  Value& first = m.relu(m.p);
  Value& root = m.concat({&first, &m.relu(m.q)});
  m.build.op("Exp", {&first});
  CHECK(match(op<"Concat">(each(op<"Relu">(x))), root).failure().why == Why::used_elsewhere);
}
