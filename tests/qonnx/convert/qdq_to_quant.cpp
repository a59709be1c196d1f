#include <graft/qonnx/convert/qdq_to_quant.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/testing.hpp>

#include "quants.hpp"

using namespace graft;
using qonnx::qdq_to_quant;

namespace {

/// A pair over x, and between it what clip says: a call of q, or "q".
std::string pair(const std::string& scale, const std::string& zero_point, const std::string& clip = "q",
                 const std::string& attributes = "") {
  return "s = " + scale + "; z = " + zero_point + "; q = QuantizeLinear(x, s, z)" + attributes +
         "; y = DequantizeLinear(" + clip + ", s, z)" + attributes;
}

struct Case {
  std::string x = "f32[2,3]";
  int opset = 13;
  qonnx::QdqToQuantOptions options{};

  std::string head() const { return "opset " + std::to_string(opset) + "; x: " + x + "; "; }
  Trial trial(const std::string& text) const { return given(head() + text).pass(qdq_to_quant(options)); }
  TestResult becomes(const std::string& text, QuantText quant) const {
    quant.x = x;
    quant.opset = opset;
    return trial(text).becomes(quant.text());
  }
  TestResult refuses(const std::string& text, const std::string& why) const { return trial(text).refuses(why); }
};

TestResult becomes(const std::string& text, const QuantText& quant) { return Case().becomes(text, quant); }
TestResult refuses(const std::string& text, const std::string& why) { return Case().refuses(text, why); }

/// A constant, dequantized.
TestResult constant_becomes(const std::string& call, const std::string& w, const QuantText& quant, int opset = 13,
                            const qonnx::QdqToQuantOptions& options = {}) {
  QuantText expected = quant;
  expected.opset = opset;
  return given("opset " + std::to_string(opset) + "; x: f32[1]; v = Identity(x); y = " + call + "; return v, y")
      .pass(qdq_to_quant(options))
      .becomes(expected.of_constant(w));
}

/// The node of a Quant, its scale and zero point by name.
std::string with_shared(std::string quant) {
  const std::string literals = "f32[] 0.5, f32[] 0,";
  return quant.replace(quant.find(literals), literals.size(), "s, z,");
}

std::string clip(const std::string& type, const std::string& low, const std::string& high) {
  return "Clip(q, " + type + "[] " + low + ", " + type + "[] " + high + ")";
}

}  // namespace

TEST_CASE("the dtype gives width and sign", "[qonnx][qdq_to_quant]") {
  CHECK(becomes(pair("f32[] 0.5", "i8[] 0"), {.bits = "f32[] 8"}));
  CHECK(becomes(pair("f32[] 0.5", "u8[] 0"), {.bits = "f32[] 8", .is_signed = false}));
  const Case newest{.opset = 25};
  CHECK(newest.becomes(pair("f32[] 0.5", "i16[] 0"), {.bits = "f32[] 16"}));
  CHECK(newest.becomes(pair("f32[] 0.5", "u16[] 0"), {.bits = "f32[] 16", .is_signed = false}));
  CHECK(newest.becomes(pair("f32[] 0.5", "i4[] 0"), {.bits = "f32[] 4"}));
  CHECK(newest.becomes(pair("f32[] 0.5", "u4[] 0"), {.bits = "f32[] 4", .is_signed = false}));
  CHECK(newest.becomes(pair("f32[] 0.5", "i2[] 0"), {.bits = "f32[] 2"}));
}

TEST_CASE("without a zero point the integers are u8, or output_dtype", "[qonnx][qdq_to_quant]") {
  CHECK(becomes("s = f32[] 0.5; y = DequantizeLinear(QuantizeLinear(x, s), s)",
                {.bits = "f32[] 8", .is_signed = false}));
  CHECK(becomes("s = f32[] 0.5; y = DequantizeLinear(QuantizeLinear(x, s), s, u8[] 0)",
                {.bits = "f32[] 8", .is_signed = false}));
  CHECK(Case{.opset = 21}.becomes("s = f32[] 0.5; y = DequantizeLinear(QuantizeLinear(x, s) {output_dtype=5}, s)",
                                  {.bits = "f32[] 16"}));
}

TEST_CASE("a Clip gives the width", "[qonnx][qdq_to_quant]") {
  const auto of = [](const std::string& low, const std::string& high) {
    return pair("f32[] 0.5", "i8[] 0", clip("i8", low, high));
  };
  CHECK(becomes(of("-8", "7"), {.bits = "f32[] 4"}));
  CHECK(becomes(of("-7", "7"), {.bits = "f32[] 4", .is_narrow = true}));
  CHECK(becomes(of("-127", "127"), {.bits = "f32[] 8", .is_narrow = true}));
  CHECK(becomes(of("-1", "1"), {.bits = "f32[] 2", .is_narrow = true}));
  CHECK(becomes(of("-2", "1"), {.bits = "f32[] 2"}));
  CHECK(becomes(of("0", "7"), {.bits = "f32[] 3", .is_signed = false}));
  const auto of_unsigned = [](const std::string& high) { return pair("f32[] 0.5", "u8[] 0", clip("u8", "0", high)); };
  CHECK(becomes(of_unsigned("15"), {.bits = "f32[] 4", .is_signed = false}));
  CHECK(becomes(of_unsigned("14"), {.bits = "f32[] 4", .is_signed = false, .is_narrow = true}));
  CHECK(becomes(of_unsigned("254"), {.bits = "f32[] 8", .is_signed = false, .is_narrow = true}));
  CHECK(becomes(of_unsigned("1"), {.bits = "f32[] 1", .is_signed = false}));
}

TEST_CASE("a Clip may lack a bound, read a Constant node, or follow another", "[qonnx][qdq_to_quant]") {
  CHECK(becomes(pair("f32[] 0.5", "i8[] 0", "Clip(q, i8[] -127)"), {.bits = "f32[] 8", .is_narrow = true}));
  CHECK(becomes(pair("f32[] 0.5", "u8[] 0", "Clip(q, _, u8[] 3)"), {.bits = "f32[] 2", .is_signed = false}));
  CHECK(becomes("l = Constant() {value=i8[] -8}; " + pair("f32[] 0.5", "i8[] 0", "Clip(q, l, i8[] 7)"),
                {.bits = "f32[] 4"}));
  CHECK(becomes(pair("f32[] 0.5", "i8[] 0", "Clip(Clip(q, i8[] -8, i8[] 100), i8[] -50, i8[] 7)"),
                {.bits = "f32[] 4"}));
  CHECK(refuses("l: i8[]; " + pair("f32[] 0.5", "i8[] 0", "Clip(q, l)"), "is not constant"));
  CHECK(refuses(pair("f32[] 0.5", "i8[] 0", clip("i8", "3", "-3")), "leave nothing between them"));
}

TEST_CASE("other ranges get fractions of bits, or keep their Clip", "[qonnx][qdq_to_quant]") {
  Model model = graph(Case().head() + pair("f32[] 0.5", "u8[] 0", clip("u8", "0", "180")));
  CHECK(qdq_to_quant().run(model).changes == 1);
  const float bits = model.graph().find("y")->producer()->input(3)->constant()->item<float>();
  CHECK(bits == Approx(7.4998));
  CHECK(given(model).pass(qonnx::quant_to_qcdq()).becomes(Case().head() +
                                                          pair("f32[] 0.5", "u8[] 0", "Clip(q, z, u8[] 180)")));

  for (const auto& [low, high] : {std::pair{"-5", "4"}, {"-5", "5"}, {"-1", "0"}, {"-100", "99"}, {"0", "9"}}) {
    INFO(low << " " << high);
    Model one = graph(Case().head() + pair("f32[] 0.5", "i8[] 0", clip("i8", low, high)));
    CHECK(qdq_to_quant().run(one).changes == 1);
    CHECK(one.graph().nodes().size() == 1);
    qonnx::quant_to_qcdq().run(one);
    const Node& clipping = *one.graph().find("y")->producer()->input(0)->producer();
    CHECK(clipping.input(1)->constant()->item<int>() == std::stoi(low));
    CHECK(clipping.input(2)->constant()->item<int>() == std::stoi(high));
  }

  const std::string tail = "; y = Clip(h, f32[] -1.5, f32[] 4.5)";
  const std::string quant = "h" + QuantText{.bits = "f32[] 8"}.node("x").substr(1);
  CHECK(Case().trial(pair("f32[] 0.5", "i8[] 0", clip("i8", "-3", "9"))).becomes(Case().head() + quant + tail));
  CHECK(Case{.options = {.fractional_bits = false}}
            .trial(pair("f32[] 0.5", "i8[] 0", clip("i8", "-3", "2")))
            .becomes(Case().head() + quant + "; y = Clip(h, f32[] -1.5, f32[] 1)"));
  CHECK(Case().refuses(pair("f32[3] {1, 2, 4}", "i8[3] 0", clip("i8", "-3", "9")), "no bounds for each channel"));
}

TEST_CASE("a zero point is that of the Quant", "[qonnx][qdq_to_quant]") {
  CHECK(becomes(pair("f32[] 0.5", "u8[] 128"),
                {.zero_point = "f32[] 128", .bits = "f32[] 8", .is_signed = false}));
  CHECK(becomes(pair("f32[] 0.5", "i8[] -128", clip("i8", "-128", "127")),
                {.zero_point = "f32[] -128", .bits = "f32[] 8"}));
}

TEST_CASE("the axis is written into the shape of the parameters", "[qonnx][qdq_to_quant]") {
  const Case image{.x = "f32[1,3,2,2]"};
  const QuantText quant{.scale = "f32[3,1,1] {1, 2, 4}", .bits = "f32[] 8"};
  CHECK(image.becomes(pair("f32[3] {1, 2, 4}", "i8[3] 0"), quant));
  CHECK(image.becomes(pair("f32[3] {1, 2, 4}", "i8[3] 0", "q", " {axis=-3}"), quant));
  CHECK(image.becomes(pair("f32[3] {1, 2, 4}", "i8[3] {0, 2, 4}"),
                      {.scale = "f32[3,1,1] {1, 2, 4}", .zero_point = "f32[3,1,1] {0, 2, 4}", .bits = "f32[] 8"}));
  CHECK(Case{.x = "f32[2,3]"}.becomes(pair("f32[3] {1, 2, 4}", "i8[3] 0", "q", " {axis=1}"),
                                      {.scale = "f32[3] {1, 2, 4}", .bits = "f32[] 8"}));
  CHECK(Case{.x = "f32[3,2]"}.becomes(pair("f32[3] {1, 2, 4}", "i8[3] 0", "q", " {axis=0}"),
                                      {.scale = "f32[3,1] {1, 2, 4}", .bits = "f32[] 8"}));
  const Case anything{.x = "f32"};
  CHECK(anything.refuses(pair("f32[3] {1, 2, 4}", "i8[3] 0"), "the rank of its input is not known"));
  CHECK(anything.becomes(pair("f32[3] {1, 2, 4}", "i8[3] 0", "q", " {axis=-3}"), quant));
  CHECK(becomes(pair("f32[1] 0.5", "i8[1] 0"), {.bits = "f32[] 8"}));
}

TEST_CASE("both sides of a pair must agree", "[qonnx][qdq_to_quant]") {
  CHECK(refuses("q = QuantizeLinear(x, f32[] 0.5, i8[] 0); y = DequantizeLinear(q, f32[] 1, i8[] 0)",
                "its scales or zero points are not those of"));
  CHECK(refuses("q = QuantizeLinear(x, f32[] 0.5, i8[] 0); y = DequantizeLinear(q, f32[] 0.5, i8[] 2)",
                "its scales or zero points are not those of"));
  CHECK(becomes("q = QuantizeLinear(x, f32[] 0.5, i8[] 0); y = DequantizeLinear(q, f32[1] 0.5, i8[1] 0)",
                {.bits = "f32[] 8"}));
  CHECK(Case{.x = "f32[3,3]"}.refuses("s = f32[3] {1, 2, 4}; z = i8[3] 0; q = QuantizeLinear(x, s, z) {axis=0}; "
                                      "y = DequantizeLinear(q, s, z) {axis=1}",
                                      "its scales or zero points are not those of"));
}

TEST_CASE("what Quant does not express is declined", "[qonnx][qdq_to_quant]") {
  CHECK(Case{.x = "f32[4,3]", .opset = 21}.refuses(
      "s = f32[2,3] 0.5; q = QuantizeLinear(x, s) {block_size=2, axis=0}; "
      "y = DequantizeLinear(q, s) {block_size=2, axis=0}",
      "blocks"));
  CHECK(refuses("s: f32[]; " + std::string("y = DequantizeLinear(QuantizeLinear(x, s), s)"), "is not constant"));
  CHECK(refuses("s = f32[] 0; y = DequantizeLinear(QuantizeLinear(x, s), s)", "not positive and finite"));
  CHECK(refuses("q: i8[2]; y = DequantizeLinear(q, f32[] 1); v = Identity(x)", "no QuantizeLinear makes its integers"));
  CHECK(Case{.opset = 19}.refuses("s = f32[] 1; z = f8e4m3fn[] 0; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
                                  "its integers are floats"));
  CHECK(Case{.x = "f16[2]", .opset = 19}.refuses("s = f16[] 1; y = DequantizeLinear(QuantizeLinear(x, s), s)",
                                                 "its scale is of dtype f16"));
  CHECK(Case{.x = "i32[2]"}.refuses("s = f32[] 1; y = DequantizeLinear(QuantizeLinear(x, s), s)",
                                    "the quantized tensor is of dtype i32"));
}

TEST_CASE("readers of one QuantizeLinear share a Quant, others keep the integers", "[qonnx][qdq_to_quant]") {
  const std::string quant = QuantText{.bits = "f32[] 8"}.node("x").substr(1);
  CHECK(Case().trial("s = f32[] 0.5; z = i8[] 0; q = QuantizeLinear(x, s, z); y = Neg(DequantizeLinear(q, s, z)); "
                     "v = Abs(DequantizeLinear(q, s, z)); return y, v")
            .becomes(Case().head() + "h" + quant + "; y = Neg(h); v = Abs(h); return y, v"));
  CHECK(Case().trial("s = f32[] 0.5; z = i8[] 0; q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); "
                     "v = Identity(q); return y, v")
            .becomes(Case().head() + "y" + quant +
                     "; q = QuantizeLinear(x, f32[] 0.5, i8[] 0); v = Identity(q); return y, v"));
  CHECK(Case().trial("s = f32[] 0.5; z = i8[] 0; q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); "
                     "v = DequantizeLinear(Clip(q, i8[] -8, i8[] 7), s, z); return y, v")
            .becomes(Case().head() + "s = f32[] 0.5; z = f32[] 0; y" + with_shared(quant) + "; v" +
                     with_shared(QuantText{}.node("x").substr(1)) + "; return y, v"));
}

TEST_CASE("a constant is dequantized in int32", "[qonnx][qdq_to_quant]") {
  CHECK(constant_becomes("DequantizeLinear(u8[3] {0, 128, 255}, f32[] 0.5, u8[] 128)", "f32[3] {-64, 0, 63.5}",
                         {.zero_point = "f32[] 128", .bits = "f32[] 8", .is_signed = false}));
  CHECK(constant_becomes("DequantizeLinear(i8[3] {-128, 0, 127}, f32[] 0.5)", "f32[3] {-64, 0, 63.5}",
                         {.bits = "f32[] 8"}));
  CHECK(constant_becomes("DequantizeLinear(i8[2,3] {1, 2, 3, 4, 5, 6}, f32[2] {1, 0.5}, i8[2] {1, 0}) {axis=0}",
                         "f32[2,3] {0, 1, 2, 2, 2.5, 3}",
                         {.scale = "f32[2,1] {1, 0.5}", .zero_point = "f32[2,1] {1, 0}", .bits = "f32[] 8"}));
  CHECK(constant_becomes("DequantizeLinear(i8[2,3] {1, 2, 3, 4, 5, 6}, f32[3] {1, 0.5, 2}, i8[3] 0) {axis=-1}",
                         "f32[2,3] {1, 1, 6, 4, 2.5, 12}", {.scale = "f32[3] {1, 0.5, 2}", .bits = "f32[] 8"}));
  CHECK(constant_becomes("DequantizeLinear(i4[3] {-8, 0, 7}, f32[] 0.5, i4[] 0)", "f32[3] {-4, 0, 3.5}",
                         {.bits = "f32[] 4"}, 21));
  CHECK(constant_becomes("DequantizeLinear(i32[2] {-100000, 5}, f32[] 0.5)", "f32[2] {-50000, 2.5}",
                         {.bits = "f32[] 32"}));
  CHECK(constant_becomes("DequantizeLinear(Clip(i8[3] {-9, 0, 1}, i8[] -2, i8[] 1), f32[] 0.5)", "f32[3] {-1, 0, 0.5}",
                         {.bits = "f32[] 2"}));
}

TEST_CASE("constants whose integers float32 does not hold are declined", "[qonnx][qdq_to_quant]") {
  CHECK(given("x: f32[1]; v = Identity(x); y = DequantizeLinear(i32[1] 33554438, f32[] 1, i32[] 2); return v, y")
            .pass(qdq_to_quant())
            .refuses("its integers are too large for float32"));
}

TEST_CASE("constants get the least bits that hold them, on request", "[qonnx][qdq_to_quant]") {
  const qonnx::QdqToQuantOptions least{.least_bits_of_constants = true};
  CHECK(constant_becomes("DequantizeLinear(i8[3] {-1, 0, 1}, f32[] 0.5)", "f32[3] {-0.5, 0, 0.5}",
                         {.bits = "f32[] 2", .is_narrow = true}, 13, least));
  CHECK(constant_becomes("DequantizeLinear(i8[3] {-8, 0, 1}, f32[] 0.5)", "f32[3] {-4, 0, 0.5}",
                         {.bits = "f32[] 4"}, 13, least));
  CHECK(constant_becomes("DequantizeLinear(i8[2] {0, 8}, f32[] 0.5)", "f32[2] {0, 4}",
                         {.bits = "f32[] 4", .is_signed = false}, 13, least));
  CHECK(constant_becomes("DequantizeLinear(i32[2] {0, 8}, f32[] 0.5)", "f32[2] {0, 4}", {.bits = "f32[] 32"}, 13,
                         least));
}

TEST_CASE("com.microsoft's pairs convert too, and its import goes", "[qonnx][qdq_to_quant]") {
  Model model = graph("opset 13; x: f32[2]; s = f32[] 0.5; z = u16[] 0; "
                      "y = com.microsoft::DequantizeLinear(com.microsoft::QuantizeLinear(x, s, z), s, z)");
  CHECK(qdq_to_quant().run(model).changes == 1);
  CHECK(model.opset("com.microsoft") == 0);
  CHECK(model.opset("qonnx.custom_op.general") == 1);
  CHECK(model.graph().find("y")->producer()->input(3)->constant()->item<float>() == 16);
}

TEST_CASE("there and back again", "[qonnx][qdq_to_quant]") {
  const QuantText quants[] = {{},
                              {.bits = "f32[] 3", .is_narrow = true},
                              {.bits = "f32[] 2", .is_signed = false},
                              {.scale = "f32[3] {1, 2, 4}", .bits = "f32[] 8"},
                              {.zero_point = "f32[] 6", .bits = "f32[] 5", .is_signed = false}};
  for (const QuantText& quant : quants)
    CHECK(given(quant.text()).pass(qonnx::quant_to_qcdq() | qdq_to_quant()).becomes(quant.text()));
  QuantText weights{.scale = "f32[2,1] {0.5, 0.25}", .bits = "f32[] 2", .is_narrow = true};
  CHECK(given(weights.of_constant("f32[2,2] {-0.5, 0, 0.25, -0.25}"))
            .pass(qonnx::quant_to_qcdq({.clip_constants = true}) | qdq_to_quant())
            .becomes(weights.of_constant("f32[2,2] {-0.5, 0, 0.25, -0.25}")));
}

TEST_CASE("a local function that does not import the domain keeps its pairs", "[qonnx][qdq_to_quant]") {
  Model pair = graph(Case().head() + "s = Constant() {value=f32[] 0.5}; z = Constant() {value=i8[] 0}; "
                                     "y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)");
  onnx::FunctionProto function;
  function.set_domain("mine");
  function.set_name("f");
  function.add_input("x");
  function.add_output("y");
  *function.mutable_node() = pair.commit().graph().node();
  function.add_opset_import()->set_version(13);
  Model model = graph("x: f32[2]; y = Relu(x)");
  model.add_function(function);
  Context context;
  context.refusals = true;
  const Report report = qdq_to_quant().run(model, context);
  CHECK(report.changes == 0);
  REQUIRE(report.refusals.size() == 1);
  CHECK_THAT(report.refusals[0].why, Catch::Contains("does not import"));
  CHECK(model.opset("qonnx.custom_op.general") == 0);
}
