#include <graft/qonnx/convert/quant_to_qdq.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/quantizers.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/testing.hpp>

#include "qonnx/convert/quants.hpp"

using namespace graft;
using Catch::Contains;
using qonnx::quant_to_qcdq;
using qonnx::quant_to_qdq;

namespace {

/// What y is of x in QCDQ, with a scale and zero point as written.
std::string pair(const std::string& scale, const std::string& zero_point, const std::string& clip = "",
                 const std::string& axis = "") {
  const std::string type = zero_point.substr(0, zero_point.find('['));
  std::string bounds = clip;
  if (!bounds.empty()) {
    const std::size_t space = bounds.find(' ');
    const auto bound = [&](const std::string& number) {  // equal constants are one
      const std::string text = type + "[] " + number;
      return text == zero_point ? "z" : text;
    };
    bounds = bound(clip.substr(0, space)) + ", " + bound(clip.substr(space + 1));
  }
  const std::string attribute = axis.empty() ? "" : " {axis=" + axis + "}";
  return "s = " + scale + "; z = " + zero_point + "; q = QuantizeLinear(x, s, z)" + attribute + "; " +
         (clip.empty() ? "c = Identity(q); " : "c = Clip(q, " + bounds + "); ") + "y = DequantizeLinear(" +
         (clip.empty() ? "q" : "c") + ", s, z)" + attribute + (clip.empty() ? "; return y" : "");
}

/// The model of a Quant, y in its form.
TestResult becomes(const QuantText& quant, std::string expected, const qonnx::QuantToQdqOptions& options = {}) {
  if (const std::size_t copy = expected.find("c = Identity(q); "); copy != std::string::npos)
    expected.erase(copy, std::string("c = Identity(q); ").size());
  const std::string head = "opset " + std::to_string(quant.opset) + "; x: " + quant.x + "; ";
  return given(quant.text()).pass(quant_to_qcdq(options)).becomes(head + expected);
}

TestResult refuses(const QuantText& quant, const std::string& why, const qonnx::QuantToQdqOptions& options = {}) {
  return given(quant.text()).pass(quant_to_qcdq(options)).refuses(why);
}

/// The model of a Quant of a constant, y in its form.
TestResult constant_becomes(const QuantText& quant, const std::string& w, const std::string& expected,
                            const qonnx::QuantToQdqOptions& options = {}) {
  const std::string head = "opset " + std::to_string(quant.opset) + "; x: f32[1]; v = Identity(x); ";
  return given(quant.of_constant(w)).pass(quant_to_qcdq(options)).becomes(head + expected + "; return v, y");
}

}  // namespace

TEST_CASE("each bit width has its bounds", "[qonnx][quant_to_qdq]") {
  CHECK(becomes({.bits = "f32[] 4"}, pair("f32[] 0.5", "i8[] 0", "-8 7")));
  CHECK(becomes({.bits = "f32[] 4", .is_narrow = true}, pair("f32[] 0.5", "i8[] 0", "-7 7")));
  CHECK(becomes({.bits = "f32[] 4", .is_signed = false}, pair("f32[] 0.5", "u8[] 0", "0 15")));
  CHECK(becomes({.bits = "f32[] 4", .is_signed = false, .is_narrow = true}, pair("f32[] 0.5", "u8[] 0", "0 14")));
  CHECK(becomes({.bits = "f32[] 1", .is_signed = false}, pair("f32[] 0.5", "u8[] 0", "0 1")));
  CHECK(becomes({.bits = "f32[] 8"}, pair("f32[] 0.5", "i8[] 0")));
  CHECK(becomes({.bits = "f32[] 8", .is_signed = false}, pair("f32[] 0.5", "u8[] 0")));
  CHECK(becomes({.bits = "f32[] 8", .is_narrow = true}, pair("f32[] 0.5", "i8[] 0", "-127 127")));
  CHECK(becomes({.bits = "f32[] 8", .is_signed = false, .is_narrow = true}, pair("f32[] 0.5", "u8[] 0", "0 254")));
}

TEST_CASE("IntQuant, old domains and other spellings of ROUND are the same", "[qonnx][quant_to_qdq]") {
  const std::string expected = pair("f32[] 0.5", "i8[] 0", "-8 7");
  CHECK(becomes({.op = "qonnx.custom_op.general::IntQuant"}, expected));
  CHECK(becomes({.op = "onnx.brevitas::Quant"}, expected));
  CHECK(becomes({.op = "finn.custom_op.general::Quant"}, expected));
  CHECK(becomes({.rounding = "half_even"}, expected));
}

TEST_CASE("fractional widths have the integers to which their bounds round", "[qonnx][quant_to_qdq]") {
  // 2^7.5 - 1 = 180.02, 2^6.5 = 90.51, 2^2.3 = 4.92
  CHECK(becomes({.bits = "f32[] 7.5", .is_signed = false}, pair("f32[] 0.5", "u8[] 0", "0 180")));
  CHECK(becomes({.bits = "f32[] 7.5"}, pair("f32[] 0.5", "i8[] 0", "-91 90")));
  CHECK(becomes({.bits = "f32[] 3.3"}, pair("f32[] 0.5", "i8[] 0", "-5 4")));
}

TEST_CASE("16 bits from opset 21 on", "[qonnx][quant_to_qdq]") {
  CHECK(becomes({.bits = "f32[] 16", .opset = 21}, pair("f32[] 0.5", "i16[] 0")));
  CHECK(becomes({.bits = "f32[] 12", .is_signed = false, .opset = 21}, pair("f32[] 0.5", "u16[] 0", "0 4095")));
  CHECK(refuses({.bits = "f32[] 12"}, "12 bits needs opset 21, the model imports 13"));
  CHECK(refuses({.bits = "f32[] 17", .opset = 21}, "QCDQ has no arbitrary precision: 17 bits are more than 16"));
}

TEST_CASE("4 and 2 bits have dtypes of their own, on request", "[qonnx][quant_to_qdq]") {
  const qonnx::QuantToQdqOptions narrow{.narrow_types = true};
  CHECK(becomes({.opset = 21}, pair("f32[] 0.5", "i4[] 0"), narrow));
  CHECK(becomes({.is_signed = false, .opset = 21}, pair("f32[] 0.5", "u4[] 0"), narrow));
  CHECK(becomes({.bits = "f32[] 2", .opset = 25}, pair("f32[] 0.5", "i2[] 0"), narrow));
  CHECK(becomes({.bits = "f32[] 2", .opset = 24}, pair("f32[] 0.5", "i8[] 0", "-2 1"), narrow));
  CHECK(becomes({.opset = 20}, pair("f32[] 0.5", "i8[] 0", "-8 7"), narrow));
  CHECK(becomes({.is_narrow = true, .opset = 21}, pair("f32[] 0.5", "i8[] 0", "-7 7"), narrow));
  CHECK(becomes({.zero_point = "f32[] 20", .is_signed = false, .opset = 21}, pair("f32[] 0.5", "u8[] 20", "0 15"),
                narrow));
}

TEST_CASE("the axis is that of x, not that of the scale", "[qonnx][quant_to_qdq]") {
  const std::string scales = "f32[3] {1, 2, 4}", zeros = "i8[3] 0";
  CHECK(becomes({.x = "f32[1,3,2,2]", .scale = "f32[3,1,1] {1, 2, 4}"}, pair(scales, zeros, "-8 7", "1")));
  CHECK(becomes({.x = "f32[1,3,2,2]", .scale = "f32[1,3,1,1] {1, 2, 4}"}, pair(scales, zeros, "-8 7", "1")));
  CHECK(becomes({.x = "f32[2,2,3]", .scale = "f32[3] {1, 2, 4}"}, pair(scales, zeros, "-8 7", "2")));
  CHECK(becomes({.x = "f32[3,N]", .scale = "f32[3,1] {1, 2, 4}"}, pair(scales, zeros, "-8 7", "0")));
  CHECK(becomes({.x = "f32[2,3]", .scale = "f32[1,1] 2"}, pair("f32[] 2", "i8[] 0", "-8 7")));
  CHECK(becomes({.scale = "f32[2,3] 2"}, pair("f32[] 2", "i8[] 0", "-8 7")));
}

TEST_CASE("scale and zero point share an axis", "[qonnx][quant_to_qdq]") {
  CHECK(becomes({.scale = "f32[3] {1, 2, 4}", .zero_point = "f32[3] {0, 2, -4}"},
                pair("f32[3] {1, 2, 4}", "i8[3] {0, 2, -4}", "-8 7", "1")));
  CHECK(becomes({.scale = "f32[] 2", .zero_point = "f32[3] {0, 2, -4}"},
                pair("f32[3] 2", "i8[3] {0, 2, -4}", "-8 7", "1")));
  CHECK(becomes({.scale = "f32[3] {1, 2, 4}", .zero_point = "f32[1] 2"},
                pair("f32[3] {1, 2, 4}", "i8[3] 2", "-8 7", "1")));
  CHECK(refuses({.scale = "f32[3] {1, 2, 4}", .zero_point = "f32[2,1] {0, 2}"}, "vary along different axes"));
}

TEST_CASE("equal scales are one", "[qonnx][quant_to_qdq]") {
  CHECK(becomes({.scale = "f32[3] 0.5", .opset = 12}, pair("f32[] 0.5", "i8[] 0", "-8 7")));
  CHECK(becomes({.scale = "f32[3] 0.5", .zero_point = "f32[2,1] {0, 2}"},
                pair("f32[2] 0.5", "i8[2] {0, 2}", "-8 7", "0")));
}

TEST_CASE("what Quant itself does not compute is declined, whatever the form", "[qonnx][quant_to_qdq]") {
  for (const bool lower : {false, true}) {
    const qonnx::QuantToQdqOptions options{.lower_rest = lower};
    CHECK(refuses({.scale = "f32[] -1"}, "its scale is not positive and finite", options));
    CHECK(refuses({.bits = "f32[] 0.5"}, "0.5 bits are not a bit width", options));
    CHECK(refuses({.x = "f32[2]", .bits = "f32[1,1,1] 4"}, "its bit width of shape [1,1,1] has more axes", options));
    CHECK(refuses({.x = "f32[2,1]", .scale = "f32[3] {1, 2, 4}"}, "does not broadcast to its input", options));
  }
}

TEST_CASE("what has no axis is declined", "[qonnx][quant_to_qdq]") {
  CHECK(refuses({.scale = "f32[2,3] {1, 2, 3, 4, 5, 6}"}, "its scale of shape [2,3] varies along several axes"));
  CHECK(refuses({.x = "f32", .scale = "f32[3] {1, 2, 4}"}, "the rank of its input is not known"));
  CHECK(refuses({.x = "f32[3]", .scale = "f32[1,3] {1, 2, 4}"}, "more axes than its input"));
  CHECK(refuses({.x = "f32[2,1]", .scale = "f32[3] {1, 2, 4}"}, "does not broadcast to its input"));
  CHECK(becomes({.x = "f32"}, pair("f32[] 0.5", "i8[] 0", "-8 7")));
}

TEST_CASE("zero points are within the dtype, and integers", "[qonnx][quant_to_qdq]") {
  CHECK(becomes({.zero_point = "f32[] -100"}, pair("f32[] 0.5", "i8[] -100", "-8 7")));
  CHECK(refuses({.zero_point = "f32[] -100", .is_signed = false}, "its zero point does not fit in u16"));
  CHECK(refuses({.zero_point = "f32[] 300"}, "its zero point needs opset 21"));
  CHECK(becomes({.zero_point = "f32[] 300", .opset = 21}, pair("f32[] 0.5", "i16[] 300", "-8 7")));
  CHECK(refuses({.zero_point = "f32[] 0.5"}, "its zero point is not an integer"));
  CHECK(refuses({.zero_point = "f32[] 7"}, "its zero point 7 is odd"));
  CHECK(becomes({.zero_point = "f32[] 7"}, pair("f32[] 0.5", "i8[] 7", "-8 7"),
                {.zero_points = qonnx::ZeroPoints::any}));
}

TEST_CASE("what QuantizeLinear does not do is declined", "[qonnx][quant_to_qdq]") {
  for (const char* const mode : {"CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"})
    CHECK(refuses({.rounding = mode}, std::string("QCDQ has no rounding variants: it rounds by ") + mode));
  CHECK(refuses({.rounding = "NEAREST"}, "there is no rounding mode \"NEAREST\""));
  CHECK(refuses({.bits = "f32[3] {4, 3, 2}"}, "QCDQ has no channel-wise bit widths"));
  CHECK(becomes({.bits = "f32[3] 4"}, pair("f32[] 0.5", "i8[] 0", "-8 7")));
  CHECK(refuses({.bits = "f32[] 1"}, "1 signed bit is -1 or 1"));
  CHECK(refuses({.bits = "f32[] 0"}, "0 bits are not a bit width"));
  CHECK(refuses({.bits = "f32[] -2"}, "-2 bits are not a bit width"));
  CHECK(refuses({.scale = "f32[] 0"}, "its scale is not positive and finite"));
  CHECK(refuses({.scale = "f32[] -1"}, "its scale is not positive and finite"));
  CHECK(refuses({.x = "f64[2,3]"}, "its input is of dtype f64"));
  CHECK(given("x: f32[2]; y = qonnx.custom_op.general::BipolarQuant(x, f32[] 1)")
            .pass(quant_to_qcdq())
            .refuses("BipolarQuant outputs -1 or 1"));
  CHECK(given("x: f32[2]; y = qonnx.custom_op.general::Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 4)")
            .pass(quant_to_qcdq())
            .refuses("Trunc has no form in QCDQ"));
  CHECK(given("x: f32[2]; s: f32[]; y = qonnx.custom_op.general::Quant(x, s, f32[] 0, f32[] 4)")
            .pass(quant_to_qcdq())
            .refuses("its parameter 's' is not constant"));
  CHECK(given("x: f32[2]; s: f32[] = 1; y = qonnx.custom_op.general::Quant(x, s, f32[] 0, f32[] 4)")
            .pass(quant_to_qcdq())
            .refuses("its parameter 's' is a graph input too, which a caller may set: freeze_inputs()"));
  CHECK(refuses({.scale = "f64[] 1"}, "its scale is f64, neither float32 nor an integer"));
}

TEST_CASE("opsets that lack an operator are named", "[qonnx][quant_to_qdq]") {
  CHECK(refuses({.opset = 9}, "DequantizeLinear needs opset 10, the model imports 9"));
  CHECK(refuses({.opset = 11}, "a Clip of integers to -8 to 7 needs opset 12, the model imports 11"));
  CHECK(becomes({.bits = "f32[] 8", .opset = 10}, pair("f32[] 0.5", "i8[] 0")));
  CHECK(becomes({.opset = 12}, pair("f32[] 0.5", "i8[] 0", "-8 7")));
  CHECK(refuses({.scale = "f32[3] {1, 2, 4}", .opset = 12}, "a scale for each channel needs opset 13"));
}

TEST_CASE("QDQ is without Clip", "[qonnx][quant_to_qdq]") {
  CHECK(
      given(QuantText{.bits = "f32[] 8"}.text())
          .pass(quant_to_qdq())
          .becomes(
              "opset 13; x: f32[2,3]; s = f32[] 0.5; z = i8[] 0; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)"));
  CHECK(given(QuantText{}.text())
            .pass(quant_to_qdq())
            .refuses("QDQ has no widths below 8 bits: -8 to 7 is not the "
                     "range of i8, and takes a Clip"));
  CHECK(given(QuantText{.bits = "f32[] 8", .is_narrow = true}.text()).pass(quant_to_qdq()).refuses("-127 to 127"));
}

TEST_CASE("a constant becomes integers, whatever the rounding and the widths", "[qonnx][quant_to_qdq]") {
  const std::string w = "f32[2,3] {-9, -0.75, -0.25, 0.25, 0.75, 9}";
  CHECK(constant_becomes({}, w, "y = DequantizeLinear(i8[2,3] {-8, -2, 0, 0, 2, 7}, f32[] 0.5, i8[] 0)"));
  CHECK(constant_becomes({.rounding = "CEIL"}, w,
                         "y = DequantizeLinear(i8[2,3] {-8, -1, 0, 1, 2, 7}, f32[] 0.5, i8[] 0)"));
  CHECK(constant_becomes({.bits = "f32[] 3.5", .rounding = "CEIL"}, w,  // 2^2.5 - 1 = 4.66, rounded up
                         "y = DequantizeLinear(i8[2,3] {-5, -1, 0, 1, 2, 5}, f32[] 0.5, i8[] 0)"));
  CHECK(constant_becomes({.bits = "f32[2,1] {2, 4}"}, w,
                         "y = DequantizeLinear(i8[2,3] {-2, -2, 0, 0, 2, 7}, f32[] 0.5, i8[] 0)"));
  CHECK(constant_becomes({.bits = "f32[] 1"}, w,
                         "y = DequantizeLinear(i8[2,3] {-1, -1, -1, 1, 1, 1}, f32[] 0.5, i8[] 0)"));
  CHECK(constant_becomes({.zero_point = "f32[] 3", .is_signed = false}, w,
                         "y = DequantizeLinear(u8[2,3] {0, 2, 2, 4, 4, 15}, f32[] 0.5, u8[] 3)"));
  CHECK(constant_becomes({.scale = "f32[2,1] {0.5, 0.25}"}, w,
                         "y = DequantizeLinear(i8[2,3] {-8, -2, 0, 1, 3, 7}, f32[2] {0.5, 0.25}, i8[2] 0) {axis=0}"));
  CHECK(given(QuantText{.scale = "f32[2,3] {1, 2, 3, 4, 5, 6}"}.of_constant(w))
            .pass(quant_to_qcdq())
            .refuses("varies along several axes"));
}

TEST_CASE("a constant keeps integers above the bounds that are rounded to the nearest", "[qonnx][quant_to_qdq]") {
  CHECK(constant_becomes({.scale = "f32[] 1", .bits = "f32[] 6.5", .rounding = "CEIL"}, "f32[2] {90, 0}",  // 44.25
                         "y = DequantizeLinear(i8[2] {45, 0}, f32[] 1, i8[] 0)", {.clip_constants = true}));
}

TEST_CASE("constants of 4 and 2 bits take as much room", "[qonnx][quant_to_qdq]") {
  const qonnx::QuantToQdqOptions narrow{.narrow_types = true};
  const std::string w = "f32[2,2] {-0.5, 0, 0.5, 9}";
  CHECK(constant_becomes({.bits = "f32[] 2", .is_narrow = true, .opset = 25}, w,
                         "y = DequantizeLinear(i2[2,2] {-1, 0, 1, 1}, f32[] 0.5, i2[] 0)", narrow));
  CHECK(constant_becomes({.bits = "f32[] 2", .is_narrow = true, .opset = 21}, w,
                         "y = DequantizeLinear(i4[2,2] {-1, 0, 1, 1}, f32[] 0.5, i4[] 0)", narrow));
  CHECK(constant_becomes({.bits = "f32[] 3", .is_signed = false, .opset = 21}, w,
                         "y = DequantizeLinear(u4[2,2] {0, 0, 1, 7}, f32[] 0.5, u4[] 0)", narrow));
  CHECK(constant_becomes({.bits = "f32[] 5", .opset = 25}, w,
                         "y = DequantizeLinear(i8[2,2] {-1, 0, 1, 15}, f32[] 0.5, i8[] 0)", narrow));
}

TEST_CASE("constants of more bits become int32, without a zero point, or int16", "[qonnx][quant_to_qdq]") {
  const std::string b = "f32[3] {-200, 0.25, 300}";
  CHECK(constant_becomes({.bits = "f32[] 16"}, b, "y = DequantizeLinear(i32[3] {-400, 0, 600}, f32[] 0.5)"));
  CHECK(constant_becomes({.scale = "f32[3] {0.5, 0.125, 2}", .zero_point = "f32[] 5", .bits = "f32[] 24"}, b,
                         "y = DequantizeLinear(i32[3] {-400, 2, 150}, f32[3] {0.5, 0.125, 2}) {axis=0}"));
  CHECK(
      constant_becomes({.bits = "f32[] 16", .opset = 21}, b, "y = DequantizeLinear(i32[3] {-400, 0, 600}, f32[] 0.5)"));
  CHECK(constant_becomes({.bits = "f32[] 16", .opset = 21}, "f32[1,3] {-200, 0.25, 300}",
                         "y = DequantizeLinear(i16[1,3] {-400, 0, 600}, f32[] 0.5, i16[] 0)"));
  CHECK(given(QuantText{.bits = "f32[] 40"}.of_constant("f32[2] {1, 3e10}"))
            .pass(quant_to_qcdq())
            .refuses("QCDQ has no arbitrary precision: its integers do not fit in 32 bits"));
}

TEST_CASE("the signs of a constant are those of x, not of what is left of x / scale", "[qonnx][quant_to_qdq]") {
  CHECK(given("opset 13; x: f32[1]; w = f32[4] {-1e-44, -0, 2, -3}; v = Identity(x); "
              "y = qonnx.custom_op.general::BipolarQuant(w, f32[] 1e30); return v, y")
            .pass(quant_to_qcdq())
            .becomes("opset 13; x: f32[1]; v = Identity(x); "
                     "y = DequantizeLinear(i8[4] {-1, 1, 1, -1}, f32[] 1e30, i8[] 0); return v, y"));
}

TEST_CASE("a Clip of constants keeps their bit width, on request", "[qonnx][quant_to_qdq]") {
  const std::string w = "f32[2] {-0.5, 0.5}";
  CHECK(constant_becomes({.bits = "f32[] 2", .is_narrow = true}, w,
                         "y = DequantizeLinear(Clip(i8[2] {-1, 1}, i8[] -1, i8[] 1), f32[] 0.5, i8[] 0)",
                         {.clip_constants = true}));
  CHECK(constant_becomes({.bits = "f32[] 8"}, w, "y = DequantizeLinear(i8[2] {-1, 1}, f32[] 0.5, i8[] 0)",
                         {.clip_constants = true}));
}

TEST_CASE("parameters may be Constant nodes, of an outer scope, and equal ones are shared", "[qonnx][quant_to_qdq]") {
  CHECK(given("opset 13; x: f32[2,3]; s = Constant() {value=f32[] 0.5}; b = Constant() {value_float=4.0}; "
              "y = qonnx.custom_op.general::Quant(x, s, f32[] 0, b)")
            .pass(quant_to_qcdq())
            .becomes("opset 13; x: f32[2,3]; " + pair("f32[] 0.5", "i8[] 0", "-8 7")));
  Model model = graph(
      "opset 13; c: bool[]; x: f32[2]; s = f32[] 0.5; z = f32[] 0; b = f32[] 4; "
      "y = If(c) {then_branch={ t = qonnx.custom_op.general::Quant(x, s, z, b) }, "
      "else_branch={ u = qonnx.custom_op.general::Quant(x, s, z, b) {signed=0} }}");
  CHECK(quant_to_qcdq().run(model).changes == 2);
  CHECK(verify(model).empty());
  CHECK(model.opset("qonnx.custom_op.general") == 0);
  CHECK(model.graph().find("b") == nullptr);
}

TEST_CASE("shapes follow through QONNX's operators", "[qonnx][quant_to_qdq]") {
  CHECK(given("opset 13; x: f32[1,3,2,2]; h = qonnx.custom_op.general::Quant(x, f32[] 1, f32[] 0, f32[] 8) {signed=1, "
              "narrow=0, rounding_mode=\"CEIL\"}; "
              "y = qonnx.custom_op.general::Quant(Relu(h), f32[3,1,1] {1, 2, 4}, f32[] 0, f32[] 8)")
            .pass(quant_to_qcdq())
            .becomes("opset 13; x: f32[1,3,2,2]; h = qonnx.custom_op.general::Quant(x, f32[] 1, f32[] 0, f32[] 8) "
                     "{signed=1, narrow=0, rounding_mode=\"CEIL\"}; s = f32[3] {1, 2, 4}; z = i8[3] 0; "
                     "y = DequantizeLinear(QuantizeLinear(Relu(h), s, z) {axis=1}, s, z) {axis=1}"));
}

TEST_CASE("the import stays while a node needs it, and names stay", "[qonnx][quant_to_qdq]") {
  Model model = graph(
      "opset 13; x: f32[2]; s = f32[] 0.5; z = f32[] 0; b = f32[] 4; "
      "h = qonnx.custom_op.general::Quant(x, s, z, b); "
      "y = qonnx.custom_op.general::Quant(h, s, z, b) {rounding_mode=\"FLOOR\"}");
  const Report report = quant_to_qcdq().run(model);
  CHECK(report.changes == 1);
  CHECK(report.rule("quant_to_qcdq").declined == 1);
  CHECK(model.opset("qonnx.custom_op.general") == 1);
  REQUIRE(model.graph().find("h") != nullptr);
  CHECK(model.graph().find("h")->producer()->is("DequantizeLinear"));
}

TEST_CASE("what has no form is lowered to floats, on request", "[qonnx][quant_to_qdq]") {
  const qonnx::QuantToQdqOptions lower{.lower_rest = true};
  const std::string clip = "s = f32[] 0.5; c = Clip(Div(x, s), f32[] -8, f32[] 7); ";
  CHECK(becomes({.rounding = "FLOOR"}, clip + "y = Mul(Floor(c), s)", lower));
  CHECK(becomes({.rounding = "CEIL"}, clip + "y = Mul(Ceil(c), s)", lower));
  CHECK(becomes({.rounding = "DOWN"}, clip + "y = Mul(Mul(Sign(c), Floor(Abs(c))), s)", lower));
  CHECK(becomes({.rounding = "UP"}, clip + "y = Mul(Mul(Sign(c), Ceil(Abs(c))), s)", lower));
  CHECK(becomes({.rounding = "HALF_UP"}, clip + "y = Mul(Mul(Sign(c), Floor(Add(Abs(c), f32[] 0.5))), s)", lower));
  CHECK(becomes({.scale = "f32[] 1", .zero_point = "f32[] 7"},
                "z = f32[] 7; y = Sub(Round(Clip(Add(x, z), f32[] -8, f32[] 7)), z)", lower));
  CHECK(becomes({.scale = "f32[] 1", .bits = "f32[3] {4, 3, 1}", .is_signed = false},
                "y = Round(Max(Min(x, f32[3] {15, 7, 1}), f32[3] 0))", lower));
  CHECK(becomes({.scale = "f32[] 1", .bits = "f32[2,1] {2, 1}"},
                "k = Round(Max(Min(x, f32[2,1] {1, 0}), f32[2,1] {-2, -1})); "
                "b = Where(GreaterOrEqual(x, f32[] 0), f32[] 1, f32[] -1); "
                "y = Where(bool[2,1] {0, 1}, b, k)",
                lower));
  CHECK(given("x: f32[2]; y = qonnx.custom_op.general::BipolarQuant(x, f32[] 3)")
            .pass(quant_to_qcdq(lower))
            .becomes("x: f32[2]; y = Mul(Where(GreaterOrEqual(x, f32[] 0), f32[] 1, f32[] -1), f32[] 3)"));
  CHECK(given("x: f32[2]; s: f32[]; y = qonnx.custom_op.general::Quant(x, s, f32[] 0, f32[] 4)")
            .pass(quant_to_qcdq(lower))
            .becomes("x: f32[2]; s: f32[]; y = Mul(Round(Clip(Div(x, s), f32[] -8, f32[] 7)), s)"));
  CHECK(becomes({.rounding = "FLOOR", .opset = 10},
                "s = f32[] 0.5; c = Clip(Div(x, s)) {min=-8, max=7}; y = Mul(Floor(c), s)", lower));
}

TEST_CASE("Trunc is lowered to floats, on request", "[qonnx][quant_to_qdq]") {
  const auto lowered = [](const std::string& trunc, const std::string& version = "1") {
    return given("opset qonnx.custom_op.general " + version + "; x: f32[2]; y = qonnx.custom_op.general::Trunc(x, " +
                 trunc)
        .pass(quant_to_qcdq({.lower_rest = true}));
  };
  CHECK(lowered("f32[] 0.5, f32[] 1, f32[] 8, f32[] 4)")
            .becomes("x: f32[2]; v = Div(Round(Add(Div(x, f32[] 0.5), f32[] 1)), f32[] 16);"
                     "y = Mul(Sub(Floor(v), f32[] 1), f32[] 0.5)"));
  CHECK(lowered("f32[] 1, f32[] 0, f32[] 8, f32[] 4, f32[] 4) {signed=0, rounding_mode=\"CEIL\"}", "2")
            .becomes("x: f32[2]; s = f32[] 4; y = Mul(Ceil(Clip(Div(Round(x), s), f32[] 0, f32[] 15)), s)"));
  CHECK(lowered("f32[] 1, f32[] 0, f32[] 8, f32[] -4)").refuses("-4 bits are not a bit width"));
  CHECK(lowered("f32[] 1, f32[] 0, f32[] 8)").refuses("too few inputs"));
  CHECK(given("x: f32[2]; b: f32[]; y = qonnx.custom_op.general::Trunc(x, f32[] 1, f32[] 0, f32[] 8, b)")
            .pass(quant_to_qcdq({.lower_rest = true}))
            .refuses("its parameter 'b' is not a constant"));
}

TEST_CASE("FloatQuant is lowered to floats, on request", "[qonnx][quant_to_qdq]") {
  const auto lowered = [](const std::string& rest) {
    return given("x: f32[2]; y = qonnx.custom_op.general::FloatQuant(x, f32[] 1, f32[] 4, " + rest)
        .pass(quant_to_qcdq({.lower_rest = true}));
  };
  const std::string steps =
      "x: f32[2]; g = Mul(Add(Abs(x), f32[] 1.17549435e-38), f32[] 0.00195312523); "
      "s = Max(Mul(Sub(g, Mul(g, f32[] 0.99999994)), f32[] 536870912), f32[] 0.001953125); "
      "q = Mul(Round(Div(x, s)), s); ";
  CHECK(lowered("f32[] 3, f32[] 7, f32[] 448)").becomes(steps + "y = Clip(q, f32[] -448, f32[] 448)"));
  CHECK(lowered("f32[] 3, f32[] 7, f32[] 448) {saturation=0}").refuses("neither infinities nor NaN"));
  CHECK(lowered("f32[] -1, f32[] 7, f32[] 448)").refuses("-1 is not a valid mantissa bit width"));
}

TEST_CASE("a constant that has no integers becomes floats, on request", "[qonnx][quant_to_qdq]") {
  CHECK(constant_becomes({.zero_point = "f32[] 0.5"}, "f32[3] {0.25, -0.25, 9}",
                         "y = Identity(f32[3] {0.25, -0.25, 3.25})", {.lower_rest = true}));
}

TEST_CASE("what is not lowered either says both reasons", "[qonnx][quant_to_qdq]") {
  const qonnx::QuantToQdqOptions lower{.lower_rest = true};
  CHECK(refuses({.zero_point = "f32[] 7", .opset = 10},
                "its zero point 7 is odd: ties would round otherwise; nor has "
                "it a form in float operators: opset 10 lacks Round",
                lower));
  CHECK(given("x: f32[2]; b: f32[]; y = qonnx.custom_op.general::Quant(x, f32[] 1, f32[] 0, b)")
            .pass(quant_to_qcdq(lower))
            .refuses("its bit width is not constant"));
  CHECK(given("opset 11; x: f32[2]; y = qonnx.custom_op.general::BipolarQuant(x, f32[] 3)")
            .pass(quant_to_qcdq(lower))
            .refuses("opset 11 lacks GreaterOrEqual"));
}

TEST_CASE("a run that is cancelled says so, and leaves nodes", "[qonnx][quant_to_qdq]") {
  Model model = graph(QuantText{}.text() + "; v = qonnx.custom_op.general::Quant(x, f32[] 1, f32[] 0, f32[] 4)");
  Context context;
  context.cancelled = [] { return true; };
  CHECK(quant_to_qcdq().run(model, context).outcome == Outcome::cancelled);
  CHECK(model.graph().nodes().size() == 2);
}

TEST_CASE("a second run changes nothing", "[qonnx][quant_to_qdq]") {
  CHECK(given(QuantText{}.text()).pass(quant_to_qcdq()).idempotent());
  CHECK(given(QuantText{.rounding = "UP"}.text()).pass(quant_to_qcdq({.lower_rest = true})).idempotent());
}

namespace {

/// A random Quant, or of a constant, and what x is of it: ties, what is between them and beyond the range.
struct RandomQuant {
  Dims dims;
  Tensor x;
  qonnx::Quantizer quantizer;

  explicit RandomQuant(std::uint64_t seed) {
    Random random(seed);
    const std::int64_t rank = random.integer(1, 4);
    for (std::int64_t i = 0; i < rank; ++i) dims.push_back(random.integer(2, 4));
    constexpr float widths[] = {1, 2, 3, 4, 8, 1.5F, 3.3F, 5.7F, 7.5F};
    const bool has_zero_points = random.integer(0, 1) == 0, has_widths = random.integer(0, 3) == 0;
    quantizer.scale = parameter(random, [&] {
      return std::ldexp(random.integer(0, 1) == 0 ? 1.0F : 0.7F, static_cast<int>(random.integer(-3, 2)));
    });
    quantizer.zero_point = parameter(random, [&] {
      const float divisor = random.integer(0, 3) == 0 ? 2.0F : 1.0F;
      return has_zero_points ? static_cast<float>(random.integer(-7, 7)) / divisor : 0;
    });
    const float width = widths[random.integer(0, 8)];
    quantizer.bits = parameter(random, [&] { return has_widths ? widths[random.integer(0, 8)] : width; });
    quantizer.is_signed = random.integer(0, 1) == 0;
    quantizer.is_narrow = random.integer(0, 1) == 0;
    if (random.integer(0, 1) == 0) quantizer.rounding = static_cast<qonnx::RoundingMode>(random.integer(0, 6));
    std::vector<float> values;
    for (std::int64_t i = element_count(dims); i-- > 0;) {
      const float steps = static_cast<float>(random.integer(-1200, 1200)) / 4;
      values.push_back((steps + (random.integer(0, 2) == 0 ? static_cast<float>(random.unit()) : 0)) *
                       quantizer.scale.data<float>()[0]);
    }
    x = Tensor::of<float>(dims, values);
  }

  Model model(bool of_constant) const {
    Builder b(13);
    Value& input = b.input("x", DType::f32, {dims.begin(), dims.end()});
    Value& quantized = of_constant ? b.constant(x, "w") : input;
    b.output(b.op("Identity", {&input}), "v");
    b.output(b.op("Identity", {&qonnx::insert_quant(quantized, quantizer, nullptr)}), "y");
    return b.build();
  }

 private:
  /// Of the whole tensor, of each index of an axis, or of each element of the axes from one on.
  template <class Next>
  Tensor parameter(Random& random, Next next) const {
    const auto axis = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(dims.size()) - 1));
    Dims own;
    const std::int64_t kind = random.integer(0, 8);
    if (kind > 3) {
      own.assign(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
      if (kind < 8) std::fill(own.begin() + 1, own.end(), 1);
    }
    std::vector<float> values(static_cast<std::size_t>(element_count(own)));
    for (float& value : values) value = next();
    return Tensor::of<float>(own, values);
  }
};

std::vector<float> result(const Model& model, const Tensor& x) {
  return Evaluator(model.graph(), qonnx::kernels()).run({{"x", x}}).at(1).to<float>();
}

std::size_t count(const Model& model, std::string_view op) {
  std::size_t nodes = 0;
  for (const Node& node : model.graph().nodes()) nodes += node.op_type() == op ? 1 : 0;
  return nodes;
}

}  // namespace

TEST_CASE("random Quants give the same values in every form", "[qonnx][quant_to_qdq]") {
  std::size_t pairs = 0, constants = 0, lowered = 0, back = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const RandomQuant random(seed);
    const bool of_constant = seed % 3 == 0;
    Model model = random.model(of_constant);
    const std::vector<float> wanted = result(model, random.x);
    INFO("seed " << seed << ", " << model.graph());
    Model apart = model.clone();
    qonnx::extract_quant_scale_zero_point().run(apart);
    CHECK(result(apart, random.x) == wanted);
    Model same = model.clone();
    quant_to_qcdq({.lower_rest = true, .zero_points = qonnx::ZeroPoints::zero}).run(same);
    CHECK(count(same, "Quant") == 0);
    CHECK(result(same, random.x) == wanted);
    pairs += count(same, "QuantizeLinear");
    constants += of_constant ? count(same, "DequantizeLinear") : 0;
    lowered += 1 - (count(same, "DequantizeLinear") != 0 ? 1 : 0);
    if (qonnx::qdq_to_quant().run(same).changes == 0) continue;
    CHECK(result(same, random.x) == wanted);
    ++back;
  }
  CHECK(pairs > 50);
  CHECK(constants > 100);
  CHECK(lowered > 100);
  CHECK(back == pairs + constants);
}

TEST_CASE("an even zero point moves only what is next to a tie, an odd one ties too", "[qonnx][quant_to_qdq]") {
  // 0.50000006 + 2 is 2.5 in float32, whose even neighbour is 2; 0.50000006 rounds to 1.
  const Tensor x = Tensor::of<float>({5}, {0.5, 1.5, 0.50000006F, 0.50001F, -1.5});
  const auto difference = [&](int zero_point) {
    const std::string zero = "f32[] " + std::to_string(zero_point);
    Model model = graph(QuantText{.x = "f32[5]", .scale = "f32[] 1", .zero_point = zero, .bits = "f32[] 8"}.text());
    const auto run = [&] { return Evaluator(model.graph(), qonnx::kernels()).run({{"x", x}}).at(0).to<float>(); };
    const std::vector<float> before = run();
    CHECK(quant_to_qcdq({.zero_points = qonnx::ZeroPoints::any}).run(model).notes.size() == (zero_point == 0 ? 0 : 1));
    std::vector<float> after = run();
    for (std::size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
    return after;
  };
  CHECK(difference(0) == std::vector<float>{0, 0, 0, 0, 0});
  CHECK(difference(2) == std::vector<float>{0, 0, 1, 0, 0});
  CHECK(difference(1) == std::vector<float>{-1, 1, 0, 0, -1});
}
