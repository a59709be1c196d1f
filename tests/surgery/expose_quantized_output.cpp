#include <graft/surgery/expose_quantized_output.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

TestResult becomes(const std::string& text, const std::string& wanted) {
  Model model = graph(text);
  expose_quantized_output("y").run(model);
  CHECK(unsound(model).empty());
  return isomorphic(graph(wanted), model);
}

std::string why_not(const std::string& text, const std::string& output = "y") {
  return refusal(graph(text), expose_quantized_output(output));
}

const std::string scalars = "s = f32[] 0.5; z = i8[] 3; ";

}  // namespace

TEST_CASE("the integers take the place of the output, scale and zero point follow", "[expose_quantized_output]") {
  Model model = graph("x: f32[2,3]; " + scalars +
                      "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(x); return y, v");
  expose_quantized_output("y").run(model);
  CHECK(unsound(model).empty());
  const auto& outputs = model.proto().graph().output();
  REQUIRE(outputs.size() == 4);
  CHECK((outputs[0].name() == "q" && to_string(outputs[0].type()) == "i8[2,3]"));
  CHECK(outputs[1].name() == "v");
  CHECK((outputs[2].name() == "y_exposed_scale_output" && to_string(outputs[2].type()) == "f32[]"));
  CHECK((outputs[3].name() == "y_exposed_zero_point_output" && to_string(outputs[3].type()) == "i8[]"));
  CHECK(model.graph().find_node("y_exposed_scale") != nullptr);
  CHECK(model.graph().find("y") == nullptr);
  const auto results = Evaluator(model.graph()).run({{"x", Tensor::of<float>({2, 3}, {0, 1, -1, 2, 0.5, 4})}});
  CHECK(results[0].same_bytes(Tensor::of<std::int8_t>({2, 3}, {3, 5, 1, 7, 4, 11})));
  CHECK(results[2].item<float>() == 0.5f);
  CHECK(results[3].item<std::int8_t>() == 3);
}

TEST_CASE("per channel, one element, or without a zero point", "[expose_quantized_output]") {
  CHECK(becomes("x: f32[2,3]; s = f32[3] {1,2,3}; z = u8[3] 1; q = QuantizeLinear(x, s, z) {axis=1}; "
                "y = DequantizeLinear(q, s, z) {axis=1}",
                "x: f32[2,3]; s = f32[3] {1,2,3}; z = u8[3] 1; q = QuantizeLinear(x, s, z) {axis=1}; "
                "a = Identity(s); b = Identity(z); return q, a, b"));
  CHECK(becomes("x: f32[2]; s = f32[1] 1; q = QuantizeLinear(x, s); y = DequantizeLinear(q, s)",
                "x: f32[2]; s = f32[1] 1; z = u8[1] 0; q = QuantizeLinear(x, s); a = Identity(s); b = Identity(z); "
                "return q, a, b"));
}

TEST_CASE("where nodes read the output, it stays an inner value", "[expose_quantized_output]") {
  CHECK(becomes("x: f32[2]; " + scalars + "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(y); "
                "return y, v",
                "x: f32[2]; " + scalars + "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(y); "
                "a = Identity(s); b = Identity(z); return q, v, a, b"));
}

TEST_CASE("anything else is an error", "[expose_quantized_output]") {
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)"), Contains("by no DequantizeLinear"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)", "z"), Contains("is no output"));
  CHECK_THAT(why_not("q: i8[2]; " + scalars + "y = DequantizeLinear(q, s, z)"), Contains("reads no QuantizeLinear"));
  CHECK_THAT(why_not("x: f32[2]; " + scalars + "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); return "
                     "q, y"),
             Contains("is an output already"));
  CHECK_THAT(why_not("x: f32[2]; " + scalars + "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); "
                     "y_exposed_scale_output = Neg(x); v = Neg(y_exposed_scale_output); return y, v"),
             Contains("the name is taken"));
}
