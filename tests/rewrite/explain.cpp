#include <graft/rewrite/explain.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a rule says of each candidate what was wanted and what was there") {
  static constexpr auto to_gelu = rule<"to-gelu">(op<"Relu">(op<"Tanh">(x)), op<"Gelu">(x));
  Small m;
  Value& tanh = m.op("Tanh", {&m.in});
  Value& first = m.op("Relu", {&tanh});
  Value& second = m.op("Relu", {&first});
  Model model = m.finish(second);
  const std::string before = model.serialize();

  const auto gelu = explain(to_gelu, model.graph());
  REQUIRE(gelu.size() == 2);
  CHECK(gelu[0].node == first.producer());
  CHECK(gelu[0].matched);
  CHECK_FALSE(gelu[0].applies);
  CHECK(gelu[0].text == "Relu 'Relu__3': opset 17 lacks Gelu");
  CHECK_FALSE(gelu[1].matched);
  CHECK(gelu[1].text == "Relu 'Relu__5': input 0 is Relu 'Relu__3', expected Tanh");
  CHECK(gelu[0].matched_nodes == 2);
  CHECK(gelu[1].matched_nodes == 1);

  const auto relu = explain(relu_relu, model.graph());
  CHECK_FALSE(relu[0].matched);
  CHECK(relu[1].applies);
  CHECK(relu[1].text == "Relu 'Relu__5': applies");
  CHECK(model.serialize() == before);
}

TEST_CASE("a rule that looks for a misspelt operator is reported") {
  static constexpr auto misspelt = rule<"misspelt">(op<"Reluu">(x), x);
  Small m;
  Model model = m.finish(m.op("Relu", {&m.in}));
  const auto why = explain(misspelt, model.graph());
  REQUIRE(why.size() == 1);
  CHECK(why[0].node == nullptr);
  CHECK(why[0].text == "'misspelt' looks for Reluu, which no ONNX version has and the model does not use");
}

TEST_CASE("bodies are explained too") {
  Builder inside(17, "inside");
  inside.output(inside.op("Relu", {&inside.op("Relu", {&inside.constant(floats({2}), "c")})}), "t");
  const onnx::GraphProto branch = inside.build().proto().graph();
  Builder build(17);
  Value& flag = build.input("flag", DType::boolean, std::vector<Dim>{});
  build.output(build.op("If", {&flag}, {{"then_branch", branch}, {"else_branch", branch}}), "y");
  Model model = build.build();
  CHECK(explain(relu_relu, model.graph()).size() == 4);
  CHECK(ops(*model.graph().first_node()->bodies()[0].graph) == "Relu Relu");
}
