#include <graft/simplify/normalization.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr const char* with_bias = R"(
  opset 15
  x: f32[1,3,5,5]
  w = f32[4,3,3,3] random
  b = f32[4] random
  s = f32[4] random(0.5, 2)
  o = f32[4] random
  m = f32[4] random
  v = f32[4] random(0.5, 2)
  y = BatchNormalization(Conv(x, w, b) {pads=[1,1,1,1]}, s, o, m, v) {epsilon=0.01})";

constexpr const char* without_bias = R"(
  opset 9
  x: f32[1,3,5,5]
  w = f32[4,3,3,3] random
  s = f32[4] random(0.5, 2)
  o = f32[4] random
  m = f32[4] random
  v = f32[4] random(0.5, 2)
  y = BatchNormalization(Conv(x, w), s, o, m, v))";

}  // namespace

TEST_CASE("BatchNormalization goes into Conv, with and without a bias") {
  for (const char* const text : {with_bias, without_bias}) {
    CHECK(given(text).rule(bn_into_conv).equivalent({.inputs = 5, .atol = 1e-5}));
    CHECK(variants(bn_into_conv, text));
  }
}

TEST_CASE("one Conv with the attributes of the old one is left of it") {
  Model model = graph(with_bias);
  REQUIRE(fixpoint(bn_into_conv).run(model).changes == 1);
  REQUIRE(model.graph().nodes().size() == 1);
  const Node& conv = *model.graph().first_node();
  CHECK(conv.is("Conv"));
  CHECK(conv.attr<Ints>("pads") == Ints{1, 1, 1, 1});
  CHECK(conv.output(0)->name() == "y");
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("the folded numbers are those of the formula") {
  Model model = graph(R"(
    opset 15
    x: f32[1,1,1,1]
    w = f32[1,1,1,1] 3
    b = f32[1] 5
    s = f32[1] 2
    o = f32[1] 7
    m = f32[1] 1
    v = f32[1] 3.75
    y = BatchNormalization(Conv(x, w, b), s, o, m, v) {epsilon=0.25})");
  fixpoint(bn_into_conv).run(model);
  const Node& conv = *model.graph().first_node();
  CHECK(conv.input(1)->constant()->item<float>() == 3.f);   // 3 * 2 / sqrt(4)
  CHECK(conv.input(2)->constant()->item<float>() == 11.f);  // (5 - 1) * 1 + 7
}

TEST_CASE("a shared weight gets a fresh copy") {
  Model model = graph(R"(
    opset 15
    x: f32[1,1,3,3]
    w = f32[1,1,1,1] 3
    s = f32[1] 2
    o = f32[1] 0
    m = f32[1] 0
    v = f32[1] 1
    y = BatchNormalization(Conv(x, w), s, o, m, v)
    z = Conv(x, w))");
  fixpoint(bn_into_conv).run(model);
  CHECK(model.graph().find("z")->producer()->input(1)->constant()->item<float>() == 3.f);
  CHECK(model.graph().find("y")->producer()->input(1)->constant()->item<float>() == Approx(6.f).epsilon(1e-4));
}

TEST_CASE("BatchNormalization goes into ConvTranspose, whose output channels are the second axis of its weight") {
  const std::string head =
      "opset 15; x: f32[2,4,5,3]; s = f32[6] random(0.5, 2); o = f32[6] random;"
      "m = f32[6] random; v = f32[6] random(0.5, 2); b = f32[6] random;";
  for (const std::string product :
       {"w = f32[4,6,3,2] random; c = ConvTranspose(x, w)",
        "w = f32[4,3,3,2] random; c = ConvTranspose(x, w) {group=2}",
        "w = f32[4,3,3,2] random; c = ConvTranspose(x, w, b) {group=2, strides=[2,3], output_padding=[1,2]}"}) {
    const std::string text = head + product + "; y = BatchNormalization(c, s, o, m, v) {epsilon=0.01}";
    CHECK(given(text).rule(bn_into_conv).equivalent({.inputs = 5, .atol = 1e-5}));
    CHECK(variants(bn_into_conv, text));
  }
  CHECK(given("opset 15; x: f32[1,2,1]; w = f32[2,1,1] {3, 4}; s = f32[2] {2, 3}; o = f32[2] {7, 8}; z = f32[2] 0;"
              "i = f32[2] 1; y = BatchNormalization(ConvTranspose(x, w) {group=2}, s, o, z, i) {epsilon=0}")
            .rule(bn_into_conv)
            .becomes("opset 15; x: f32[1,2,1];"
                     "y = ConvTranspose(x, f32[2,1,1] {6, 12}, f32[2] {7, 8}) {group=2}"));
  CHECK(given("opset 15; x: f32[1,2,1]; w = f32[2,1,1] 1; s = f32[2] 1;"
              "y = BatchNormalization(ConvTranspose(x, w), s, s, s, s)")
            .rule(bn_into_conv)
            .refuses("one value for each output channel"));
}

TEST_CASE("BatchNormalization goes into Gemm") {
  const std::string head =
      "opset 15; s = f32[3] random(0.5, 2); o = f32[3] random; m = f32[3] random;"
      "v = f32[3] random(0.5, 2); b = f32[3] random;";
  for (const std::string product : {"x: f32[2,4]; w = f32[4,3] random; c = Gemm(x, w, b)",
                                    "x: f32[4,2]; w = f32[3,4] random;"
                                    "c = Gemm(x, w) {transA=1, transB=1, alpha=0.5}",
                                    "x: f32[2,4]; w = f32[3,4] random;"
                                    "c = Gemm(x, w, b) {transB=1, alpha=-2}"}) {
    const std::string text = head + product + "; y = BatchNormalization(c, s, o, m, v)";
    CHECK(given(text).rule(bn_into_conv).equivalent({.inputs = 5, .atol = 1e-5}));
    CHECK(variants(bn_into_conv, text));
  }
  CHECK(given(head + "x: f32[2,4]; w = f32[4,3] 1; y = BatchNormalization(Gemm(x, w, b) {beta=2}, s, o, m, v)")
            .rule(bn_into_conv)
            .refuses("beta is not 1"));
  CHECK(given(head + "x: f32[2,4]; w = f32[4,3] 1; r = f32[2,3] 1; y = BatchNormalization(Gemm(x, w, r), s, o, m, v)")
            .rule(bn_into_conv)
            .refuses("its bias is not one value for each output channel"));
}

TEST_CASE("BatchNormalization goes into MatMul of matrices, and becomes an Add") {
  const std::string numbers =
      "s = f32[3] random(0.5, 2); o = f32[3] random; m = f32[3] random;"
      "v = f32[3] random(0.5, 2); w = f32[4,3] random;";
  const std::string text = "opset 15; x: f32[N,4];" + numbers + "y = BatchNormalization(MatMul(x, w), s, o, m, v)";
  CHECK(given(text).rule(bn_into_matmul).equivalent({.inputs = 5, .atol = 1e-5}));
  CHECK(variants(bn_into_matmul, text));
  CHECK(given("opset 15; x: f32[N,2]; w = f32[2,1] {3, 4}; s = f32[1] 2; o = f32[1] 7; z = f32[1] 0; i = f32[1] 1;"
              "y = BatchNormalization(MatMul(x, w), s, o, z, i) {epsilon=0}")
            .rule(bn_into_matmul)
            .becomes("opset 15; x: f32[N,2]; y = Add(MatMul(x, f32[2,1] {6, 8}), f32[1] 7)"));
  // The channels of other ranks are not the columns, though there are as many.
  for (const std::string type : {"f32[3,3,4]", "f32", "f32[4]"})
    CHECK(given("opset 15; x: " + type + ";" + numbers + "y = BatchNormalization(MatMul(x, w), s, o, m, v)")
              .rule(bn_into_matmul)
              .refuses("rank"));
  CHECK(given("opset 15; x: f32[3,4]; w = f32[2,4,3] 1; s = f32[3] 1; y = BatchNormalization(MatMul(x, w), s, s, s, s)")
            .rule(bn_into_matmul)
            .refuses("no channels"));
}

TEST_CASE("training mode and weights that are not constants are refused") {
  CHECK(given(R"(
    opset 15
    x: f32[1,1,3,3]; w = f32[1,1,1,1] 3; s = f32[1] 2
    y = BatchNormalization(Conv(x, w), s, s, s, s) {training_mode=1})")
            .rule(bn_into_conv)
            .refuses("training_mode"));
  CHECK(given(R"(
    opset 15
    x: f32[1,1,3,3]; w: f32[1,1,1,1]; s = f32[1] 2
    y = BatchNormalization(Conv(x, w), s, s, s, s))")
            .rule(bn_into_conv)
            .refuses("constant"));
}

TEST_CASE("weights of less than a byte are refused") {
  CHECK(given(R"(
    opset 21
    x: f32[1,1,1,1]; w = i4[2,1,1,1] 3; s = f32[2] 1
    y = BatchNormalization(Conv(x, w), s, s, s, s))")
            .rule(bn_into_conv)
            .refuses("share a byte"));
}

TEST_CASE("numbers that are not finite, or are not once they are folded, are refused") {
  struct Case {
    const char* bias;
    const char* mean;
    const char* scale;
    const char* reason;
  };
  for (const Case& test :
       {Case{"inf", "1", "2", "a bias or a mean is not finite"},
        Case{"1", "nan", "2", "a bias or a mean is not finite"}, Case{"1", "1", "inf", "a scale is not finite"},
        Case{"1", "1", "60000", "too large for its dtype"},      // w: 3 * 60000
        Case{"60000", "-3000", "2", "too large for its dtype"},  // b: 60000 + 3000 * 2
        Case{"1", "1", "2", ""}}) {
    const auto trial = given("opset 15; x: f16[1,1,1,1]; w = f16[1,1,1,1] 3; s = f16[1] " + std::string(test.scale) +
                             "; o = f16[1] " + test.bias + "; m = f16[1] " + test.mean +
                             "; v = f16[1] 1; y = BatchNormalization(Conv(x, w), s, o, m, v) {epsilon=0}")
                           .rule(bn_into_conv);
    INFO(test.reason);
    if (*test.reason != '\0') CHECK(trial.refuses(test.reason));
    else CHECK(trial.becomes("opset 15; x: f16[1,1,1,1]; y = Conv(x, f16[1,1,1,1] 6, f16[1] -1)"));
  }
  CHECK(given("opset 15; x: f32[1,1,1,1]; w = f32[1,1,1,1] 1e30; s = f32[1] 1e30; o = f32[1] 0;"
              "y = BatchNormalization(Conv(x, w), s, o, o, s) {epsilon=0}")
            .rule(bn_into_conv)
            .refuses("too large"));
}

TEST_CASE("one number among many that is not finite, or is not once it is folded, is refused") {
  for (int odd = 0; odd < 11; ++odd) {
    const auto trial = [&](const char* number) {
      std::string numbers;
      for (int i = 0; i < 11; ++i) numbers += std::string(i == 0 ? "" : ", ") + (i == odd ? number : "1");
      return given("opset 15; x: f32[1,11,1,1]; w = f32[1,11,1,1] {" + numbers + "}; s = f32[1] 100; o = f32[1] 0; " +
                   "v = f32[1] 1; y = BatchNormalization(Conv(x, w), s, o, o, v) {epsilon=0}")
          .rule(bn_into_conv);
    };
    CHECK(trial("nan").refuses("a folded number is not finite"));
    CHECK(trial("-inf").refuses("a folded number is not finite"));
    CHECK(trial("-3e37").refuses("too large"));
    CHECK(trial("-3e36").equivalent());
  }
}

namespace {

const std::string head = "x: f32[2,N,4]; s = f32[4] random; b = f32[4] random; ";
constexpr std::string_view primitive =
    "m = ReduceMean(x) {axes=[-1]}; d = Sub(x, m); p = Pow(d, f32[] 2); v = ReduceMean(p) {axes=[2]};"
    "q = Sqrt(Add(v, f32[] 0.001)); n = Div(d, q); z = Mul(n, s); y = Add(z, b)";

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(layer_normalization).refuses(reason);
}

}  // namespace

TEST_CASE("layer_normalization in its spellings") {
  const std::string wanted = head + "y = LayerNormalization(x, s, b) {epsilon=0.001}";
  CHECK(given(head + std::string(primitive)).rule(layer_normalization).becomes(wanted));
  CHECK(given(head + "d = Sub(x, ReduceMean(x) {axes=[2]});"
                     "y = Add(b, Mul(s, Div(d, Sqrt(Add(f32[] 0.001, ReduceMean(Mul(d, d)) {axes=[2]})))))")
            .rule(layer_normalization)
            .becomes(wanted));
  CHECK(given("opset 18;" + head +
              "d = Sub(x, ReduceMean(x, i64[1] 2));"
              "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d), i64[1] -1), f32[] 0.001))), s), b)")
            .rule(layer_normalization)
            .becomes("opset 18;" + wanted));
  const std::string matrices = "x: f32[N,3,4]; s = f32[3,4] random; b = f32[3,4] random; ";
  CHECK(given(matrices + "d = Sub(x, ReduceMean(x) {axes=[1,2]});"
                         "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1,2]}, f32[] 0.001))), s), b)")
            .rule(layer_normalization)
            .becomes(matrices + "y = LayerNormalization(x, s, b) {axis=-2, epsilon=0.001}"));
}

TEST_CASE("layer_normalization whatever way the root divides") {
  const std::string wanted = head + "y = LayerNormalization(x, s, b) {epsilon=0.001}";
  for (const std::string_view quotient : {"Mul(d, Reciprocal(Sqrt(a)))", "Mul(Div(f32[] 1, Sqrt(a)), d)",
                                          "Mul(d, Pow(a, f32[] {-0.5}))", "Div(d, Pow(a, f32[] 0.5))"}) {
    INFO(quotient);
    const std::string text = head +
                             "d = Sub(x, ReduceMean(x) {axes=[2]});"
                             "a = Add(ReduceMean(Mul(d, d)) {axes=[2]}, f32[] 0.001); y = Add(Mul(s, " +
                             std::string(quotient) + "), b)";
    CHECK(given(text).rule(layer_normalization).becomes(wanted));
    CHECK(given(text).rule(layer_normalization).equivalent({.atol = 1e-4, .rtol = 1e-4}));
  }
}

TEST_CASE("layer_normalization through all variants") {
  const VariantReport report =
      variants(layer_normalization, head + std::string(primitive), {.atol = 1e-4, .rtol = 1e-4});
  CHECK(report);
  CHECK(report.find("as given")->outcome == Variant::Outcome::equivalent);
  for (const std::string inner : {"m", "d", "p", "v", "q", "n", "z"})
    CHECK(report.find("another consumer of %" + inner)->outcome == Variant::Outcome::refused);
  CHECK(report.find("the operands of %y exchanged")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 13")->outcome == Variant::Outcome::refused);
}

TEST_CASE("layer_normalization refuses") {
  const auto with = [](std::string_view inputs, std::string_view axes, std::string_view more = "") {
    const std::string mean = "{axes=" + std::string(axes) + std::string(more) + "}";
    return std::string(inputs) + "; d = Sub(x, ReduceMean(x) " + mean + ");" +
           "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) " + mean + ", f32[] 0.1))), s), b)";
  };
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[4] 1; b = f32[4] 1", "[1]"), "last axes"));
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[1] 1; b = f32[4] 1", "[2]"), "last axes"));
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[4] 1; b = f32[2,1,4] 1", "[2]"), "last axes"));
  CHECK(
      refuses("opset 17; x: f64[2,4]; s = f64[4] 1; b = f64[4] 1; d = Sub(x, ReduceMean(x) {axes=[1]});"
              "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1]}, f64[] 0.1))), s), b)",
              "compute in f32"));
  CHECK(refuses(with("x: f32[2,4,1]; s = f32[4] 1; b = f32[4] 1", "[2]"), "last axes"));
  CHECK(refuses(with("x: f32[2,2]; s = f32[2] 1; b = f32[2] 1", "[1]", ", keepdims=0"), "keepdims"));
  CHECK(refuses(head + "d = Sub(x, ReduceMean(x) {axes=[2]});"
                       "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Pow(d, f32[] 3)) {axes=[2]}, f32[] 0.1))), s), b)",
                "all_equal"));
}
