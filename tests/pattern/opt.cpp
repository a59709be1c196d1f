#include <graft/pattern/opt.hpp>

#include <type_traits>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {1, 1, 4, 4});
  Value& weight = build.constant(Tensor(DType::f32, {1, 1, 1, 1}), "weight");
  Value& bias = build.constant(Tensor(DType::f32, {1}), "bias");
};

}  // namespace

TEST_CASE("what is below opt may be absent, and is a pointer") {
  Small m;
  constexpr auto p = op<"Conv">(x, w, opt(b)).as(conv);
  const auto without = match(p, m.build.op("Conv", {&m.in, &m.weight}));
  REQUIRE(without);
  STATIC_REQUIRE(std::is_same_v<decltype(without[b]), Value*>);
  STATIC_REQUIRE(std::is_same_v<decltype(without[w]), Value&>);
  CHECK(without[b] == nullptr);
  CHECK(match(p, m.build.op("Conv", {&m.in, &m.weight, &m.bias}))[b] == &m.bias);
}

TEST_CASE("what is there must match") {
  Small m;
  constexpr auto p = op<"Conv">(x, w, opt(cst<"b">.rank(2)));
  CHECK(match(p, m.build.op("Conv", {&m.in, &m.weight})));
  CHECK_FALSE(match(p, m.build.op("Conv", {&m.in, &m.weight, &m.bias})));
}

TEST_CASE("an absent capture equals itself and nothing else") {
  Small m;
  Value& scale = m.build.constant(Tensor::scalar(0.5f), "scale");
  Value& zero = m.build.constant(Tensor::scalar(std::uint8_t{3}), "zero");
  constexpr auto qdq = op<"DequantizeLinear">(op<"QuantizeLinear">(x, s, opt(z)), s, opt(z));
  const auto pair = [&](Value* first, Value* second) {
    Value& q = m.build.op("QuantizeLinear", {&m.in, &scale, first});
    return bool(match(qdq, m.build.op("DequantizeLinear", {&q, &scale, second})));
  };
  CHECK(pair(nullptr, nullptr));
  CHECK(pair(&zero, &zero));
  CHECK_FALSE(pair(nullptr, &zero));
  CHECK_FALSE(pair(&zero, nullptr));
}

TEST_CASE("all that an absent operator would bind is absent") {
  Small m;
  constexpr auto p = op<"Clip">(x, opt(op<"LeakyRelu">(y).with(alpha).as(act)));
  const auto without = match(p, m.build.op("Clip", {&m.in}));
  REQUIRE(without);
  CHECK(without[y] == nullptr);
  CHECK(without[act] == nullptr);
  CHECK_FALSE(without[alpha].has_value());
  Value& leaky = m.build.op("LeakyRelu", {&m.bias});
  const auto with = match(p, m.build.op("Clip", {&m.in, &leaky}));
  REQUIRE(with);
  CHECK(with[y] == &m.bias);
  CHECK(with[act] == leaky.producer());
  CHECK(*with[alpha] == 0.01f);
}

TEST_CASE("a capture that is bound elsewhere for sure is not a pointer") {
  Small m;
  constexpr auto p = op<"Conv">(x, w, opt(w));
  const auto found = match(p, m.build.op("Conv", {&m.in, &m.bias, &m.bias}));
  REQUIRE(found);
  STATIC_REQUIRE(std::is_same_v<decltype(found[w]), Value&>);
  CHECK_FALSE(match(p, m.build.op("Conv", {&m.in, &m.weight, &m.bias})));
  CHECK_FALSE(match(p, m.build.op("Conv", {&m.in, &m.weight})));
}

TEST_CASE("a wanted attribute that only some versions have") {
  constexpr auto training_mode = attr<"training_mode", std::int64_t>;
  constexpr auto p = op<"BatchNormalization">(x, rest<>).with(opt(training_mode == 0));
  const auto matches = [&](int opset, const Attributes& attributes) {
    Builder build(opset);
    Value& in = build.input("in", DType::f32, {1, 2, 3});
    Value& each = build.constant(Tensor::of<float>({2}, {1, 1}), "each");
    return bool(match(p, build.op("BatchNormalization", {&in, &each, &each, &each, &each}, attributes)));
  };
  CHECK(matches(9, {}));
  CHECK(matches(15, {}));
  CHECK(matches(15, {{"training_mode", 0}}));
  CHECK_FALSE(matches(15, {{"training_mode", 1}}));
}
