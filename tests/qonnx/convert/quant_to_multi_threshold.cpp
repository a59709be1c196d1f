#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph.hpp>
#include <graft/qonnx/convert/quant_to_multi_threshold.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr std::string_view domain = "qonnx.custom_op.general::";

std::string number(float x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(x));
  return text;
}

struct Case {
  float scale = 1, zero = 0, bits = 4;
  bool is_signed = true, is_narrow = false;
  std::string mode = "ROUND", activation = "";

  std::string text() const {
    return "x: f32[1,1]; a = " + (activation.empty() ? "Identity(x)" : activation) + "; y = " + std::string(domain) +
           "Quant(a, f32[] " + number(scale) + ", f32[] " + number(zero) + ", f32[] " + number(bits) +
           ") {signed=" + (is_signed ? "1" : "0") + ", narrow=" + (is_narrow ? "1" : "0") + ", rounding_mode=\"" +
           mode + "\"}";
  }
  /// What QONNX says that Quant computes, written down once more.
  float quant(float x) const {
    if (activation.starts_with("Relu")) x = std::max(x, 0.0F);
    if (activation.starts_with("Clip")) x = std::min(std::max(x, -1.25F), 2.5F);
    const float half = std::exp2(bits - 1), steps = x / scale + zero;
    if (bits == 1 && is_signed) return ((steps >= 0 ? 1.0F : -1.0F) - zero) * scale;
    const float min = is_signed ? (is_narrow ? 1 - half : -half) : 0,
                max = is_signed ? half - 1 : 2 * half - (is_narrow ? 2.0F : 1.0F);
    const float v = std::max(std::min(steps, max), min);
    float rounded = std::nearbyint(v);
    if (mode == "FLOOR") rounded = std::floor(v);
    if (mode == "CEIL") rounded = std::ceil(v);
    if (mode == "DOWN") rounded = std::trunc(v);
    if (mode == "UP") rounded = std::copysign(std::ceil(std::fabs(v)), v);
    if (mode == "HALF_UP") rounded = std::copysign(std::floor(std::fabs(v) + 0.5F), v);
    if (mode == "HALF_DOWN") rounded = std::copysign(std::ceil(std::fabs(v) - 0.5F), v);
    return (rounded - zero) * scale;
  }
};

/// A MultiThreshold of one row and the Mul behind it, if there is one, as QONNX says that they compute.
struct Converted {
  std::vector<float> thresholds;
  float out_scale = 1, out_bias = 0, factor = 1;

  explicit Converted(const Case& from) {
    Model model = graph(from.text());
    REQUIRE(qonnx::quant_to_multi_threshold().run(model).changes == 1);
    for (const Node& node : model.graph().nodes()) {
      if (node.op_type() == "MultiThreshold") {
        thresholds = node.input(1)->constant()->to<float>();
        out_scale = node.attr<float>("out_scale").value();
        out_bias = node.attr<float>("out_bias").value();
        CHECK(node.input(0)->name() == (from.activation.empty() ? "a" : "x"));
      } else if (node.is("Mul")) {
        factor = node.input(1)->constant()->item<float>();
      } else {
        CHECK(node.is("Identity"));
      }
    }
  }
  float at(float x) const {
    const auto count = std::ranges::count_if(thresholds, [x](float each) { return x >= each; });
    const float product = out_scale * static_cast<float>(count);
    const volatile float sum = product + out_bias;
    return sum * factor;
  }
};

std::vector<float> inputs(const Case& of, const Converted& converted) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> all{0.0F, -0.0F, infinity, -infinity, 1e30F, -1e30F, 1e-40F, -1e-40F};
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> near(-20, 20);
  for (int i = 0; i < 200; ++i) all.push_back(near(random) * of.scale);
  std::vector<float> ties = converted.thresholds;
  for (int i = -20; i <= 20; ++i) ties.push_back((static_cast<float>(i) / 2 - of.zero) * of.scale);
  for (const float x : ties)
    for (const float each : {x, std::nextafter(x, -infinity), std::nextafter(x, infinity)}) all.push_back(each);
  return all;
}

}  // namespace

TEST_CASE("a MultiThreshold makes what the Quant makes, at ties and beside them", "[qonnx]") {
  const std::string mode = GENERATE("ROUND", "HALF_UP", "HALF_DOWN", "UP", "DOWN", "FLOOR", "CEIL");
  for (const float scale : {1.0F, 0.1F, 0.3F, 1e-3F, 3.7e5F})
    for (const float zero : {0.0F, 1.0F, -2.0F})
      for (const float bits : {1.0F, 2.0F, 3.5F, 4.0F})
        for (const bool is_signed : {false, true})
          for (const std::string activation : {"", "Relu(x)", "Clip(x, f32[] -1.25, f32[] 2.5)"}) {
            const Case of{scale, zero, bits, is_signed, bits > 3, mode, activation};
            if (of.quant(-INFINITY) == of.quant(INFINITY)) continue;
            if (activation.starts_with("Clip") && scale > 2) continue;  // all is one integer
            const Converted converted(of);
            CAPTURE(of.text());
            std::size_t apart = 0;
            for (const float x : inputs(of, converted)) apart += converted.at(x) != of.quant(x) ? 1 : 0;
            CHECK(apart == 0);
          }
}

TEST_CASE("thresholds are half a step below the integers, or a float above where ties go down", "[qonnx]") {
  const auto above = [](float x) { return number(std::nextafter(x, INFINITY)); };
  CHECK(given("x: f32[1,2,3,3]; y = " + std::string(domain) +
              "Quant(Relu(x), f32[] 0.5, f32[] 0, f32[] 2) {signed=0, narrow=0, rounding_mode=\"ROUND\"}")
            .pass(qonnx::quant_to_multi_threshold())
            .becomes("x: f32[1,2,3,3]; m = " + std::string(domain) + "MultiThreshold(x, f32[1,3] {" + above(0.25F) +
                     ", 0.75, " + above(1.25F) + "}) {out_scale=1.0, out_bias=0.0, out_dtype=\"UINT2\","
                     "data_layout=\"NCHW\"}; y = Mul(m, f32[] 0.5)"));
}

TEST_CASE("several scales are multiplied by behind thresholds of each channel", "[qonnx]") {
  const auto becomes = [](std::string_view scale, std::string_view layout) {
    const std::string head = "x: f32[1,2,3,2]; ";
    return given(head + "y = onnx.brevitas::Quant(x, f32" + std::string(scale) +
                 " {1, 0.5}, f32[] 0, f32[] 2) {signed=1, narrow=1, rounding_mode=\"FLOOR\"}")
        .pass(qonnx::quant_to_multi_threshold())
        .becomes(head + "m = " + std::string(domain) +
                 "MultiThreshold(x, f32[2,2] {0, 1, 0, 0.5}) {out_scale=1.0, out_bias=-1.0,"
                 "out_dtype=\"INT2\", data_layout=\"" + std::string(layout) + "\"}; y = Mul(m, f32" +
                 std::string(scale) + " {1, 0.5})");
  };
  CHECK(becomes("[2,1,1]", "NCHW"));
  CHECK(becomes("[1,2,1,1]", "NCHW"));
  CHECK(becomes("[2]", "NHWC"));
}

TEST_CASE("a Clip goes only where all channels count the same integers between its bounds", "[qonnx]") {
  const auto text = [](std::string_view bound) {
    return "x: f32[1,2,3,2]; y = " + std::string(domain) + "Quant(Clip(x, f32[] 0, f32[] " + std::string(bound) +
           "), f32[2,1,1] {1, 0.5}, f32[] 0, f32[] 3) {signed=0, rounding_mode=\"FLOOR\"}";
  };
  for (const std::string_view bound : {"2.75", "9"}) {
    CAPTURE(bound);
    Model model = graph(text(bound));
    qonnx::quant_to_multi_threshold().run(model);
    const auto is_clip = [](const Node& node) { return node.is("Clip"); };
    const NodeRange nodes = model.graph().nodes();
    CHECK(std::any_of(nodes.begin(), nodes.end(), is_clip) == (bound == "2.75"));
    CHECK(given(text(bound))
              .pass(qonnx::quant_to_multi_threshold())
              .equivalent({.atol = 0, .rtol = 0, .kernels = &qonnx::kernels()}));
  }
}

TEST_CASE("a sign has one threshold", "[qonnx]") {
  CHECK(given("x: f32[1,2]; y = " + std::string(domain) + "BipolarQuant(x, f32[] 1)")
            .pass(qonnx::quant_to_multi_threshold())
            .becomes("x: f32[1,2]; y = " + std::string(domain) +
                     "MultiThreshold(x, f32[1,1] 0) {out_scale=2.0, out_bias=-1.0, out_dtype=\"BIPOLAR\","
                     "data_layout=\"NC\"}"));
}

TEST_CASE("out_dtype holds what comes out", "[qonnx]") {
  const auto data_type = [](const Case& of) {
    Model model = graph(of.text());
    qonnx::quant_to_multi_threshold().run(model);
    for (const Node& node : model.graph().nodes())
      if (node.op_type() == "MultiThreshold") return node.attr<std::string>("out_dtype").value();
    return std::string();
  };
  CHECK(data_type({1, 0, 4, true}) == "INT4");
  CHECK(data_type({1, 0, 4, false}) == "UINT4");
  CHECK(data_type({1, 3, 4, false}) == "INT5");  // -3 to 12
  CHECK(data_type({1, 3, 4, true}) == "INT5");  // -11 to 4
  CHECK(data_type({1, 0, 1, false}) == "BINARY");
  CHECK(data_type({2, 0, 2, false}) == "UINT2");  // the Mul makes 0 to 6 of it
  CHECK(data_type({0.25F, 0, 4, true}) == "INT4");
}

TEST_CASE("the signs of BipolarQuant are those of x, not of x / scale", "[qonnx]") {
  CHECK(given("x: f32[1,2]; y = " + std::string(domain) + "BipolarQuant(x, f32[] 4)")
            .pass(qonnx::quant_to_multi_threshold())
            .becomes("x: f32[1,2]; m = " + std::string(domain) + "MultiThreshold(x, f32[1,1] 0) {out_scale=2.0,"
                     "out_bias=-1.0, out_dtype=\"BIPOLAR\", data_layout=\"NC\"}; y = Mul(m, f32[] 4)"));
}

TEST_CASE("thresholds of QDQ add the zero point to what is rounded", "[qonnx]") {
  // With 3 added before it is rounded, each tie would go the other way.
  const std::string pair = "x: f32[1,64]; z = i8[] 3; q = QuantizeLinear(x, f32[] 0.25, z);"
                           "c = Clip(q, i8[] 1, i8[] 4); y = DequantizeLinear(c, f32[] 0.25, z)";
  const auto above = [](float x) { return number(std::nextafter(x, INFINITY)); };
  CHECK(given(pair)
            .pass(qonnx::quant_to_multi_threshold())
            .becomes("x: f32[1,64]; m = " + std::string(domain) + "MultiThreshold(x, f32[1,3] {" + above(-0.375F) +
                     ", -0.125, " + above(0.125F) + "}) {out_scale=1.0, out_bias=-2.0,"
                     "out_dtype=\"INT2\", data_layout=\"NC\"}; y = Mul(m, f32[] 0.25)"));
  const auto channels = [](std::string_view zero_points) {
    return given("x: f32[1,2,3]; s = f32[2] {0.5, 0.25}; z = u8[2] " + std::string(zero_points) +
                 "; y = DequantizeLinear(QuantizeLinear(x, s, z) {axis=1}, s, z) {axis=1}")
        .pass(qonnx::quant_to_multi_threshold());
  };
  CHECK(channels("{7, 7}").equivalent({.atol = 0, .rtol = 0, .kernels = &qonnx::kernels()}));
  CHECK(channels("{7, 8}").refuses("zero points of their own"));
}

TEST_CASE("a Quant of a mode that does not exist stays, and others are converted", "[qonnx]") {
  const auto quant = [](std::string_view mode) {
    return std::string(domain) + "Quant(x, f32[] 1, f32[] 0, f32[] 4) {rounding_mode=\"" + std::string(mode) + "\"}";
  };
  Model model = graph("x: f32[1,2]; y = " + quant("NEAREST") + "; z = " + quant("FLOOR"));
  Context context;
  context.refusals = true;
  const Report report = qonnx::quant_to_multi_threshold().run(model, context);
  CHECK(report.changes == 1);
  REQUIRE(report.refusals.size() == 1);
  CHECK_THAT(report.refusals[0].why, Catch::Contains("NEAREST"));
  CHECK(model.graph().find("y")->producer()->op_type() == "Quant");
}

TEST_CASE("the domain of what went is imported no more", "[qonnx]") {
  Model model = graph("x: f32[1,2]; y = onnx.brevitas::Quant(x, f32[] 1, f32[] 0, f32[] 2)");
  qonnx::quant_to_multi_threshold().run(model);
  CHECK(model.opset("onnx.brevitas") == 0);
  CHECK(model.opset("qonnx.custom_op.general") == 1);
}

TEST_CASE("what others read in front of the Quant stays, and the thresholds are those behind it", "[qonnx]") {
  CHECK(given("x: f32[1,2]; r = Relu(x); y = " + std::string(domain) +
              "Quant(r, f32[] 1, f32[] 0, f32[] 1) {signed=0, rounding_mode=\"FLOOR\"}; z = Neg(r)")
            .pass(qonnx::quant_to_multi_threshold())
            .becomes("x: f32[1,2]; r = Relu(x); z = Neg(r); y = " + std::string(domain) +
                     "MultiThreshold(r, f32[1,1] 1) {out_scale=1.0, out_bias=0.0, out_dtype=\"BINARY\","
                     "data_layout=\"NC\"}; return y, z"));
}

TEST_CASE("quant_to_multi_threshold refuses", "[qonnx]") {
  const auto refuses = [](const std::string& head, const std::string& parameters, std::string_view reason) {
    return given(head + "; y = " + std::string(domain) + "Quant(x, " + parameters + ")")
        .pass(qonnx::quant_to_multi_threshold())
        .refuses(reason);
  };
  CHECK(refuses("i: f32[2]; x = f32[2] 1; z = Neg(i)", "f32[] 1, f32[] 0, f32[] 4", "constant"));
  CHECK(refuses("x: f32[2,3]; s: f32[]", "s, f32[] 0, f32[] 4", "not constants"));
  CHECK(refuses("x: f32[2,3]", "f32[] 1, f32[] 0, f32[3] {2, 3, 4}", "bit widths"));
  CHECK(refuses("x: f32[2,3]", "f32[] 1, f32[3] {2, 3, 4}, f32[] 4", "zero points"));
  CHECK(refuses("x: f32[2,3]", "f32[] 1, f32[] 0, f32[] 17", "1 to 16"));
  CHECK(refuses("x: f32[2,3]", "f32[] -1, f32[] 0, f32[] 4", "positive"));
  CHECK(refuses("x: f32[2,3]", "f32[2,1] 1, f32[] 0, f32[] 4", "channels"));
  CHECK(refuses("x: f32[3]", "f32[] 1, f32[] 0, f32[] 4", "channels"));
  CHECK(refuses("x: f32", "f32[3] {1, 2, 3}, f32[] 0, f32[] 4", "rank"));
  CHECK(refuses("x: f32[2,0]", "f32[0] 0, f32[] 0, f32[] 4", "scale is empty"));
}
