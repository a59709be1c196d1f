#include <graft/qonnx/convert/extract_quant_scale_zero_point.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>
#include <graft/testing.hpp>

#include "quants.hpp"

using namespace graft;
using qonnx::extract_quant_scale_zero_point;

namespace {

TestResult becomes(const QuantText& quant, const std::string& expected) {
  const std::string head = "opset 13; x: " + quant.x + "; ";
  return given(quant.text()).pass(extract_quant_scale_zero_point()).becomes(head + expected);
}

/// A Quant of unit scale and no zero point, with the attributes of QuantText.
std::string unit(const std::string& x) {
  return "qonnx.custom_op.general::Quant(" + x + ", f32[] 1, f32[] 0, f32[] 4) "
         "{signed=1, narrow=0, rounding_mode=\"ROUND\"}";
}

}  // namespace

TEST_CASE("scale and zero point go to nodes around the Quant", "[qonnx][extract]") {
  CHECK(becomes({}, "s = f32[] 0.5; q = " + unit("Div(x, s)") + "; y = Mul(q, s)"));
  CHECK(becomes({.scale = "f32[] 1", .zero_point = "f32[] 3"}, "z = f32[] 3; q = " + unit("Add(x, z)") +
                                                                   "; y = Sub(q, z)"));
  CHECK(becomes({.scale = "f32[3] {1, 2, 4}", .zero_point = "f32[3] {0, 2, -4}"},
                "s = f32[3] {1, 2, 4}; z = f32[3] {0, 2, -4}; q = " + unit("Add(Div(x, s), z)") +
                    "; y = Mul(Sub(q, z), s)"));
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
