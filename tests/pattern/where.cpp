#include <graft/pattern/where.hpp>

#include <optional>
#include <span>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {2, 3});
  Value& one = build.constant(Tensor::scalar(1.0f), "one");
  Value& two = build.constant(Tensor::scalar(2.0f), "two");
  Value& sum = build.op("Add", {&in, &two});
};

bool is_two(const Tensor& tensor) { return tensor.item<float>() == 2; }
Verdict is_small(const Tensor& tensor) {
  if (tensor.item<float>() < 2) return Verdict::yes();
  return Verdict::no(Reason{"{} is not less than {}", "too-large", {tensor.item<double>(), 2}, 2});
}
constexpr auto two_wanted = predicate<is_two>("the constant is not two");
constexpr auto small_wanted = predicate<is_small>("unused");

}  // namespace

TEST_CASE("a predicate that does not hold refuses with its reason") {
  Small m;
  constexpr auto q = query<"plus two">(op<"Add">(x, w), where(two_wanted(w)));
  CHECK(match(q, m.sum));
  const auto refused = match(q, m.build.op("Add", {&m.in, &m.one}));
  CHECK_FALSE(refused);
  CHECK(refused.failure().why == Why::refused);
  CHECK(refused.reason() == "the constant is not two");
}

TEST_CASE("a Verdict brings a code and numbers") {
  Small m;
  constexpr auto q = query<"plus little">(op<"Add">(x, w), where(small_wanted(w)));
  const auto refused = match(q, m.sum);
  CHECK(refused.failure().reason.code == "too-large");
  CHECK(refused.reason() == "2 is not less than 2");
  CHECK(match(q, m.build.op("Add", {&m.in, &m.one})));
}

namespace {

bool is_positive(const Tensor& tensor) { return tensor.item<float>() > 0; }
constexpr auto positive_wanted = predicate<is_positive>("it is not positive");
bool scales_positively(const Node& node) { return node.input(1)->constant()->item<float>() > 0; }
constexpr auto scales_wanted = predicate<scales_positively>("it turns the sign");

}  // namespace

TEST_CASE("a condition over a constant that cannot be read declines") {
  Small m;
  onnx::TensorProto bad;
  bad.set_name("bad");
  bad.set_data_type(77);
  std::vector<Value*> inputs{&m.in, &m.build.graph().add_initializer(bad)};
  Node& sum = m.build.graph().insert("Add", inputs, 1);
  const auto check = [&](const auto& refused) {
    CHECK_FALSE(refused);
    CHECK(refused.failure().reason.code == "unreadable");
    CHECK(refused.reason() == "a constant that a condition asks for cannot be read");
  };
  constexpr auto over_tensor = query<"plus two">(op<"Add">(x, w), where(two_wanted(w)));
  check(match(over_tensor, sum));
  constexpr auto over_node = query<"plus positive">(op<"Add">(x, w).as(act), where(scales_wanted(act)));
  check(match(over_node, sum));
  // Any other Error is the condition's own.
  constexpr auto of_one = query<"plus positive">(op<"Add">(x, w), where(positive_wanted(w)));
  Value& several = m.build.constant(Tensor::of<float>({2}, {1, 2}), "several");
  CHECK_THROWS_WITH(match(of_one, m.build.op("Add", {&m.in, &several})), Catch::Contains("expected one element"));
}

TEST_CASE("conditions are checked in order, and all must hold") {
  Small m;
  constexpr auto q = query<"both">(op<"Add">(x, w), where(two_wanted(w), small_wanted(w)));
  CHECK(match(q, m.sum).failure().reason.code == "too-large");
  CHECK(match(q, m.build.op("Add", {&m.in, &m.one})).reason() == "the constant is not two");
}

TEST_CASE("a refused match is tried again where the pattern leaves a choice") {
  Small m;
  constexpr auto q = query<"either side">(comm<"Add">(w, cst<"v">), where(two_wanted(w)));
  const auto found = match(q, m.build.op("Add", {&m.one, &m.two}));
  REQUIRE(found);
  CHECK(&found[w] == &m.two);
}

TEST_CASE("parameters take captures as what they are") {
  Small m;
  constexpr auto values = predicate<[](const Value& p, const Value* q, Value* r) {
    return p.name() == "in" && q == nullptr && r != nullptr;
  }>("values");
  Value& clip = m.build.op("Clip", {&m.in, nullptr, &m.one});
  CHECK(match(query<"values">(op<"Clip">(x, opt(y), opt(b)), where(values(x, y, b))), clip));

  constexpr auto tensors = predicate<[](Tensor p, const std::optional<Tensor>& q) {
    return p.size() == 1 && !q;
  }>("tensors");
  CHECK(match(query<"tensors">(op<"Clip">(x, opt(s), w), where(tensors(w, s))), clip));

  constexpr auto lists = predicate<[](std::span<Value* const> p) { return p.size() == 2; }>("lists");
  CHECK(match(query<"lists">(op<"Clip">(x, more), where(lists(more))), clip));
  CHECK(match(query<"each">(op<"Max">(each(x)), where(lists(x))), m.build.op("Max", {&m.in, &m.one})));
  CHECK_FALSE(match(query<"each">(op<"Max">(each(x)), where(lists(x))), m.build.op("Max", {&m.in})));

  constexpr auto nodes = predicate<[](const Node& p) { return p.op_type() == "Clip"; }>("nodes");
  CHECK(match(query<"nodes">(op<"Clip">(x, more).as(act), where(nodes(act))), clip));

  constexpr auto mode = attr<"mode", std::string_view>;
  constexpr auto attributes = predicate<[](std::int64_t p, float q, const Ints& r, std::span<const std::int64_t> same,
                                           const std::string& text, std::optional<float> none_given) {
    return p == 1 && q == 0.5f && r == Ints{1, 0} && same.size() == 2 && text == "edge" && !none_given;
  }>("attributes");
  Value& transposed = m.build.op("Transpose", {&m.in}, {{"perm", {1, 0}}});
  Value& leaky = m.build.op("LeakyRelu", {&transposed}, {{"alpha", 0.5f}});
  Value& softmax = m.build.op("Softmax", {&leaky}, {{"axis", 1}});
  Value& padded = m.build.op("Pad", {&softmax}, {{"mode", "edge"}});
  constexpr auto beta = attr<"beta", float>;
  constexpr auto leaky_of = op<"LeakyRelu">(op<"Transpose">(x).with(perm)).with(alpha, opt(beta));
  constexpr auto q = query<"attributes">(op<"Pad">(op<"Softmax">(leaky_of).with(axis)).with(mode),
                                         where(attributes(axis, alpha, perm, perm, mode, beta)));
  CHECK(match(q, padded));
}

TEST_CASE("a predicate takes up to eight captures") {
  Small m;
  constexpr auto eight = predicate<[](const Value& p, const Value&, const Value&, const Value&, const Value&,
                                      const Value&, const Value&, const Tensor& last) {
    return p.name() == "in" && last.item<float>() == 2;
  }>("eight");
  constexpr auto q = query<"eight">(op<"Add">(x, w), where(eight(x, x, x, x, x, x, x, w)));
  CHECK(match(q, m.sum));
}

TEST_CASE("a predicate that returns a Verdict needs no text") {
  Small m;
  constexpr auto q = query<"plus little">(op<"Add">(x, w), where(predicate<is_small>()(w)));
  CHECK(match(q, m.sum).reason() == "2 is not less than 2");
}
