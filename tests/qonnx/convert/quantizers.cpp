#include <graft/qonnx/convert/quantizers.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/testing.hpp>
#include "quants.hpp"

using namespace graft;
using qonnx::extract_quant_scale_zero_point;

namespace {

std::string problem(const std::string& node) {
  Model model = graph("x: f32[2,3,4,4]; y = qonnx.custom_op.general::" + node);
  std::vector<Problem> problems = qonnx::verify_quantizers(model.graph());
  for (Problem& one : verify(model)) problems.push_back(std::move(one));  // by the types of the schema
  return problems.empty() ? "" : problems.at(0).text;
}

/// What an evaluation of the node throws; "" if nothing.
std::string failure(const std::string& node) {
  const Model model = graph("x: f32[2,3,4,4]; y = qonnx.custom_op.general::" + node);
  try {
    Evaluator(model.graph(), qonnx::kernels()).run({{"x", Tensor(DType::f32, {2, 3, 4, 4})}});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("verify_quantizers takes the dtypes of parameters that the kernels take", "[qonnx]") {
  for (const std::string dtype : {"f32", "f64", "f16", "i64", "i32", "i8", "u8", "bool"})
    for (const std::string& node :
         {"Quant(x, f32[] 0.5, " + dtype + "[] 1, f32[] 4)", "Quant(x, f32[] 0.5, f32[] 0, " + dtype + "[] 1)",
          "Quant(x, " + dtype + "[] 1, f32[] 0, f32[] 4)", "BipolarQuant(x, " + dtype + "[] 1)",
          "Trunc(x, f32[] 1, " + dtype + "[] 0, f32[] 8, f32[] 4)",
          "FloatQuant(x, f32[] 1, f32[] 4, " + dtype + "[] 1, f32[] 7, f32[] 240)"}) {
      CAPTURE(node);
      CHECK((problem(node) == "") == (failure(node) == ""));
      CHECK((problem(node) == "") == (dtype[0] == 'i' || dtype[0] == 'u' || dtype == "f32"));
    }
}

TEST_CASE("verify_quantizers names what cannot be computed", "[qonnx]") {
  CHECK(problem("Quant(x, f32[3,1,1] 1, f32[] 0, f32[] 4)") == "");
  CHECK(problem("FloatQuant(x, f32[] 1, f32[] 4, f32[] 3, f32[] 7, f32[] 240)") == "");
  CHECK(problem("DebugMarker(x)") == "");
  const auto says = [](const std::string& node, std::string_view what) {
    CHECK_THAT(problem(node), Catch::Contains(std::string(what)));
  };
  says("Quant(x, f32[5] 1, f32[] 0, f32[] 4)", "does not broadcast");
  says("Quant(x, f32[] 0, f32[] 0, f32[] 4)", "not positive");
  says("BipolarQuant(x, f32[] -1)", "not positive");
  says("Quant(x, f32[] 1, f32[] 0, f32[] -3)", "not a bit width");
  says("Quant(x, f32[] 1, f32[] 0, f32[] 4) {rounding_mode=\"NEAREST\"}", "only ROUND (HALF_EVEN), HALF_UP");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 0.5)", "0.5 bits are not a bit width");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 4, f32[] 4) {rounding_mode=\"NEAREST\"}", "only ROUND");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8)", "too many or too few");
  says("FloatQuant(x, f32[] 0, f32[] 4, f32[] 3, f32[] 7, f32[] 240)", "not positive");
  says("FloatQuant(x, f32[] 1, f32[] -4, f32[] 3, f32[] 7, f32[] 240)", "not a valid exponent bit width");
  says("Quant(x, f32[] 1, f64[] 0, f32[] 4)", "its zero point is f64, neither float32 nor an integer");
  says("Quant(x, f32[] 1, f32[] 0, i8[] 0)", "not a bit width");
  says("Quantt(x, f32[] 1, f32[] 0, f32[] 4)", "no operator Quantt");
}

namespace {

TestResult becomes(const QuantText& quant, const std::string& expected) {
  const std::string head = "opset 13; x: " + quant.x + "; ";
  return given(quant.text()).pass(extract_quant_scale_zero_point()).becomes(head + expected);
}

/// A Quant of unit scale and no zero point, with the attributes of QuantText.
std::string unit(const std::string& x) {
  return "qonnx.custom_op.general::Quant(" + x +
         ", f32[] 1, f32[] 0, f32[] 4) "
         "{signed=1, narrow=0, rounding_mode=\"ROUND\"}";
}

}  // namespace

TEST_CASE("scale and zero point go to nodes around the Quant", "[qonnx][extract]") {
  CHECK(becomes({}, "s = f32[] 0.5; q = " + unit("Div(x, s)") + "; y = Mul(q, s)"));
  CHECK(becomes({.scale = "f32[] 1", .zero_point = "f32[] 3"},
                "z = f32[] 3; q = " + unit("Add(x, z)") + "; y = Sub(q, z)"));
  CHECK(becomes(
      {.scale = "f32[3] {1, 2, 4}", .zero_point = "f32[3] {0, 2, -4}"},
      "s = f32[3] {1, 2, 4}; z = f32[3] {0, 2, -4}; q = " + unit("Add(Div(x, s), z)") + "; y = Mul(Sub(q, z), s)"));
}

TEST_CASE("attributes and other rounding stay", "[qonnx][extract]") {
  Model model = graph(QuantText{.is_narrow = true, .rounding = "CEIL", .op = "onnx.brevitas::IntQuant"}.text());
  CHECK(extract_quant_scale_zero_point().run(model).changes == 1);
  const Node& quant = *model.graph().find("y")->producer()->input(0)->producer();
  CHECK(quant.is("onnx.brevitas::IntQuant"));
  CHECK(quant.attr<std::string>("rounding_mode") == "CEIL");
  CHECK(quant.attr<std::int64_t>("narrow") == 1);
}

TEST_CASE("parameters that are not constant are extracted too", "[qonnx][extract]") {
  CHECK(given("x: f32[2]; s: f32[]; b: f32[]; y = qonnx.custom_op.general::Quant(x, s, f32[] 0, b)")
            .pass(extract_quant_scale_zero_point())
            .becomes("x: f32[2]; s: f32[]; b: f32[]; q = qonnx.custom_op.general::Quant(Div(x, s), f32[] 1, f32[] 0, "
                     "b); y = Mul(q, s)"));
}

TEST_CASE("a Quant to integers is left alone", "[qonnx][extract]") {
  Model scalar = graph(QuantText{.scale = "f32[] 1"}.text());
  CHECK(extract_quant_scale_zero_point().run(scalar).changes == 0);
  Model each = graph(QuantText{.scale = "f32[3] 1", .zero_point = "f32[1] 0"}.text());
  CHECK(extract_quant_scale_zero_point().run(each).changes == 0);
  CHECK(given(QuantText{.zero_point = "f32[] 3"}.text()).pass(extract_quant_scale_zero_point()).idempotent());
  CHECK(given(QuantText{.opset = 6}.text()).pass(extract_quant_scale_zero_point()).refuses("opset 7"));
}
