#include <graft/graph/node.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;
using Catch::Matchers::Contains;

TEST_CASE("an attribute that is absent has the default of the operator's version") {
  for (const auto& [opset, axis] : {std::pair{12, 1}, std::pair{13, -1}}) {
    Builder b(opset);
    Value& y = b.op("Softmax", {&b.input("x", DType::f32, {2, 3})});
    CHECK(y.producer()->attr<std::int64_t>("axis") == axis);
    CHECK(y.producer()->attribute("axis") == nullptr);
  }
}

TEST_CASE("an attribute of another type is an error that names node and attribute") {
  Builder b(17);
  Value& y = b.op("Softmax", {&b.input("x", DType::f32, {2, 3})}, {{"axis", "last"}});
  CHECK_THROWS_WITH(y.producer()->attr<std::int64_t>("axis"), Contains("Softmax") && Contains("axis"));
}

TEST_CASE("absent inputs are nullptr, within the list and beyond its end") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  const Node& clip = *b.op("Clip", {&x, nullptr, &x}).producer();
  CHECK(clip.input_count() == 3);
  CHECK(clip.input(1) == nullptr);
  CHECK(clip.input(7) == nullptr);
  CHECK(clip.is("Clip"));
  CHECK(clip.is("ai.onnx::Clip"));
  CHECK(clip.is(OpName{"ai.onnx", "Clip"}));
  CHECK_FALSE(clip.is("com.microsoft::Clip"));
  CHECK_FALSE(clip.is(OpName{"com.microsoft", "Clip"}));
  CHECK_FALSE(clip.is("::lip"));
  CHECK(clip.is_any_of({"Relu", "Clip"}));
  CHECK_FALSE(clip.is_any_of({"Relu", "com.microsoft::Clip"}));
  CHECK_FALSE(clip.is_any_of({}));
  CHECK(clip.opset() == 17);
}

TEST_CASE("the output of a node is the only one") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Node& neg = *b.op("Neg", {&x}).producer();
  CHECK(&neg.output() == neg.output(0));
  const Node& split = b.node("Split", {&x}, 2);
  CHECK_THROWS_WITH(split.output(), Contains("Split") && Contains("2 outputs"));
}
