#include <graft/qonnx/convert/format.hpp>

#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "quants.hpp"

using namespace graft;
using qonnx::Format;

namespace {

Format format(const std::string& text) {
  Model model = graph(text);
  return qonnx::format_of(model.graph());
}

const std::string q = "x: f32[1,2,3,3]; s = f32[] 0.5; z = u8[] 0; q = QuantizeLinear(x, s, z); ";
const std::string conv =
    "w = u8[2,2,1,1] 1; c = QLinearConv(q, s, z, w, s, z, s, z); ";

}  // namespace

TEST_CASE("each format by its operators", "[qonnx][format]") {
  CHECK(format("x: f32[2]; y = Relu(x)") == Format::floating);
  CHECK(format(QuantText().text()) == Format::qonnx);
  CHECK(format("x: f32[2]; y = onnx.brevitas::BipolarQuant(x, f32[] 1)") == Format::qonnx);
  CHECK(format("x: f32[1,2]; y = finn.custom_op.general::MultiThreshold(x, f32[1,1] 1)") == Format::qonnx);
  CHECK(format(q + "y = DequantizeLinear(q, s, z)") == Format::qdq);
  CHECK(format(q + "c = Clip(q, u8[] 0, u8[] 15); y = DequantizeLinear(c, s, z)") == Format::qcdq);
  CHECK(format(q + conv + "y = DequantizeLinear(c, s, z)") == Format::quantized_operators);
  CHECK(format(q + conv + "d = Clip(c, u8[] 0, u8[] 15); y = DequantizeLinear(d, s, z)") ==
        Format::clipped_quantized_operators);
  CHECK(format(q + "w = u8[2,2,1,1] 1; y = Cast(ConvInteger(q, w, z, z)) {to=f32}") == Format::integer_operators);
}

TEST_CASE("quantized operators without QLinear in their names count too", "[qonnx][format]") {
  CHECK(format("a: u8[1,2]; w = u8[2,2] 1; s = f32[] 0.5; z = u8[] 0; y = com.microsoft::QGemm(a, s, z, w, s, z, _, s, "
               "z)") == Format::quantized_operators);
  CHECK(format("a: u8[1,2]; s = f32[] 0.5; z = u8[] 0; y = com.microsoft::QLinearSoftmax(a, s, z, s, z)") ==
        Format::quantized_operators);
}

TEST_CASE("a dequantized constant is QDQ, a Clip of floats changes nothing", "[qonnx][format]") {
  CHECK(format("x: f32[2]; w = i8[2] {1, 2}; y = Mul(x, DequantizeLinear(w, f32[] 2))") == Format::qdq);
  CHECK(format(q + "d = DequantizeLinear(q, s, z); y = Clip(d, f32[] 0, f32[] 1)") == Format::qdq);
  CHECK(format("x: f32[2]; y = QuantizeLinear(x, f32[] 1)") == Format::qdq);
}

TEST_CASE("several of them are mixed", "[qonnx][format]") {
  CHECK(format(q + "d = DequantizeLinear(q, s, z); y = qonnx.custom_op.general::BipolarQuant(d, s)") == Format::mixed);
  CHECK(format(q + conv + "d = DequantizeLinear(c, s, z); e = QuantizeLinear(d, s); y = DequantizeLinear(e, s)") ==
        Format::mixed);
  CHECK(format(QuantText().text() + "; v = QuantizeLinear(x, f32[] 1)") == Format::mixed);
}

TEST_CASE("bodies count", "[qonnx][format]") {
  CHECK(format("c: bool[]; x: f32[2]; y = If(c) {then_branch={ t = qonnx.custom_op.general::BipolarQuant(x, f32[] 1) "
               "}, else_branch={ u = Abs(x) }}") == Format::qonnx);
}

TEST_CASE("formats have names", "[qonnx][format]") {
  std::ostringstream out;
  out << Format::qcdq << ", " << Format::clipped_quantized_operators;
  CHECK(out.str() == "QCDQ, quantized operators with clipping");
}
