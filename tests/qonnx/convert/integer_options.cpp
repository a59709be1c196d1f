#include <graft/qonnx/convert/integer_options.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/convert/qdq_to_integer_operators.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/testing.hpp>
#include "quants.hpp"

using namespace graft;


namespace {

/// The reason, "noted" or "exact".
std::string outcome(const std::string& text, const Pass& pass) {
  Model model = graph(text);
  Context context;
  context.refusals = true;
  const Report report = pass.run(model, context);
  if (report.changes == 0) return report.refusals.at(0).why;
  return report.notes.empty() ? "exact" : "noted";
}

std::string to_qcdq(int zero_point, qonnx::ZeroPoints taken) {
  const QuantText quant{.zero_point = "f32[] " + std::to_string(zero_point)};
  return outcome(quant.text(), qonnx::quant_to_qcdq({.zero_points = taken}));
}

std::string to_quant(int zero_point, qonnx::ZeroPoints taken) {
  return outcome("x: f32[2]; s = f32[] 0.5; z = i8[] " + std::to_string(zero_point) +
                     "; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
                 qonnx::qdq_to_quant({.zero_points = taken}));
}

}  // namespace

TEST_CASE("zero points are taken as the options say, and noted", "[qonnx][zero_points]") {
  for (const auto convert : {to_qcdq, to_quant}) {
    for (const qonnx::ZeroPoints taken : {qonnx::ZeroPoints::zero, qonnx::ZeroPoints::even, qonnx::ZeroPoints::any})
      CHECK(convert(0, taken) == "exact");
    CHECK_THAT(convert(2, qonnx::ZeroPoints::zero), Catch::Contains("zero point 2 is not 0"));
    CHECK(convert(2, qonnx::ZeroPoints::even) == "noted");
    CHECK(convert(-2, qonnx::ZeroPoints::any) == "noted");
    CHECK_THAT(convert(-3, qonnx::ZeroPoints::zero), Catch::Contains("zero point -3 is odd"));
    CHECK_THAT(convert(-3, qonnx::ZeroPoints::even), Catch::Contains("zero point -3 is odd"));
    CHECK(convert(-3, qonnx::ZeroPoints::any) == "noted");
  }
}

namespace {

const std::string head = "x: u8[2,2]; ";

std::string product(const std::string& w) {
  return "MatMul(DequantizeLinear(x, f32[] 0.5, u8[] 3), DequantizeLinear(" + w + ") {axis=1})";
}

}  // namespace

TEST_CASE("int8 weights beside uint8 become uint8 where that is asked for", "[qonnx]") {
  const std::string w = "i8[2,2] {-128, -1, 0, 127}, f32[2] {1, 2}, i8[2] {0, 5}";
  const Given quantized = given(head + "y = QuantizeLinear(" + product(w) + ", f32[] 8, u8[] 9)");
  CHECK(quantized.pass(qonnx::qdq_to_quantized_operators({.uint8_weights = true}))
            .becomes(head + "y = QLinearMatMul(x, f32[] 0.5, u8[] 3, u8[2,2] {0, 127, 128, 255}, f32[2] {1, 2},"
                            "u8[2] {128, 133}, f32[] 8, u8[] 9)"));
  CHECK(quantized.pass(qonnx::qdq_to_quantized_operators({.uint8_weights = true})).equivalent({.atol = 1}));
  const Given floats = given(head + "y = " + product(w));
  CHECK(floats.pass(qonnx::qdq_to_integer_operators({.uint8_weights = true}))
            .becomes(head + "y = Mul(Cast(MatMulInteger(x, u8[2,2] {0, 127, 128, 255}, u8[] 3, u8[2] {128, 133}))"
                            "{to=f32}, f32[2] {0.5, 1})"));
  CHECK(floats.pass(qonnx::qdq_to_integer_operators({.uint8_weights = true})).equivalent());
}

TEST_CASE("int8 weights beside int8 stay, and so do uint8 ones", "[qonnx]") {
  const std::string ends = ", w, f32[] 1, i8[] 0, f32[] 8, i8[] 9)";
  CHECK(given("x: i8[2,2]; w = i8[2,2] 3; y = QuantizeLinear(MatMul(DequantizeLinear(x, f32[] 0.5, i8[] 3),"
              "DequantizeLinear(w, f32[] 1, i8[] 0)), f32[] 8, i8[] 9)")
            .pass(qonnx::qdq_to_quantized_operators({.uint8_weights = true}))
            .becomes("x: i8[2,2]; w = i8[2,2] 3; y = QLinearMatMul(x, f32[] 0.5, i8[] 3" + ends));
  CHECK(given(head + "y = " + product("u8[2,2] 3, f32[2] 1, u8[2] {1, 2}"))
            .pass(qonnx::qdq_to_integer_operators({.uint8_weights = true}))
            .becomes(head + "y = Mul(Cast(MatMulInteger(x, u8[2,2] 3, u8[] 3, u8[2] {1, 2})) {to=f32},"
                            "f32[2] 0.5)"));
}
