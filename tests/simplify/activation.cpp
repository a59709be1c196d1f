#include <graft/simplify/activation.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("what is done twice is done once") {
  CHECK(given("x: f32[N]; y = Abs(Abs(x))").rule(repeated_abs).becomes("x: f32[N]; y = Abs(x)"));
  CHECK(given("x: i32[N]; y = Relu(Relu(x))").rule(repeated_relu).becomes("x: i32[N]; y = Relu(x)"));
  CHECK(given("x: f32; y = Sign(Sign(x))").rule(repeated_sign).becomes("x: f32; y = Sign(x)"));
  for (const std::string g : {"Ceil", "Floor", "Round"})
    for (const std::string f : {"Ceil", "Floor", "Round"})
      CHECK(given("x: f32[N]; y = Neg(" + f + "(" + g + "(x)))")
                .rule(repeated_round)
                .becomes("x: f32[N]; y = Neg(" + g + "(x))"));
  CHECK(given("x: f32[N]; y = Ceil(Abs(Ceil(x)))").rule(repeated_round).refuses());
}

TEST_CASE("idempotent operators through all variants") {
  CHECK(variants(repeated_abs, "x: f32[2,N]; h = Abs(x); g = Abs(h); y = Neg(g)"));
  CHECK(variants(repeated_relu, "x: f32[2,N]; h = Relu(x); g = Relu(h); y = Neg(g)"));
  CHECK(variants(repeated_sign, "x: f32[2,N]; h = Sign(x); g = Sign(h); y = Neg(g)"));
  const VariantReport report = variants(repeated_round, "x: f32[2,N]; h = Floor(x); g = Ceil(h); y = Neg(g)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
}

namespace {

const std::string head = "x: f32[2,N]; c = Clip(Add(x, f32[] 3), f32[] 0, f32[] 6); ";
const std::string sigmoid = "HardSigmoid(x) {alpha=0.16666667, beta=0.5}";

}  // namespace

TEST_CASE("hard_swish in its spellings") {
  for (const std::string_view text :
       {"y = Div(Mul(x, c), f32[] 6)", "y = Div(Mul(c, x), f32[1] 6)", "y = Mul(Mul(x, c), f32[] 0.16666667)",
        "y = Mul(x, Div(c, f32[] 6))", "y = Mul(Mul(f32[] 0.16666667, c), x)", "y = Mul(Div(x, f32[] 6), c)"}) {
    INFO(text);
    CHECK(given(head + std::string(text)).rule(hard_swish).becomes("x: f32[2,N]; y = HardSwish(x)"));
    CHECK(given(head + std::string(text)).rule(hard_swish).equivalent({.inputs = 5, .atol = 1e-6}));
    CHECK(given("opset 13; " + head + std::string(text)).rule(hard_swish).refuses("opset 13 lacks HardSwish"));
    CHECK(given("opset 13; " + head + std::string(text))
              .rule(hard_swish_by_hard_sigmoid)
              .becomes("opset 13; x: f32[2,N]; y = Mul(x, " + sigmoid + ")"));
  }
  CHECK(given("x: f32[2,N]; y = Mul(" + sigmoid + ", x)")
            .rule(hard_swish_of_hard_sigmoid)
            .becomes("x: f32[2,N]; y = HardSwish(x)"));
}

TEST_CASE("hard_sigmoid in its spellings, at any opset") {
  for (const std::string_view text : {"y = Div(c, f32[] 6)", "y = Mul(f32[] 0.16666667, c)"})
    CHECK(given(head + std::string(text)).rule(hard_sigmoid).becomes("x: f32[2,N]; y = " + sigmoid));
  CHECK(given("opset 10; x: f32[4]; y = Div(Clip(Add(x, f32[] 3)) {min=0, max=6}, f32[] 6)")
            .rule(hard_sigmoid)
            .becomes("opset 10; x: f32[4]; y = " + sigmoid));
}

TEST_CASE("hard_swish through all variants") {
  const std::string text = "x: f32[2,3]; a = Add(x, f32[] 3); c = Clip(a, f32[] 0, f32[] 6); ";
  const VariantReport report = variants(hard_swish, text + "m = Mul(x, c); y = Div(m, f32[] 6)", {.atol = 1e-6});
  CHECK(report);
  for (const std::string_view inner : {"a", "c", "m"})
    CHECK(report.find("another consumer of %" + std::string(inner))->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 13")->outcome == Variant::Outcome::refused);
  CHECK(variants(hard_sigmoid, text + "y = Div(c, f32[] 6)", {.atol = 1e-6}));
  CHECK(variants(hard_swish_by_hard_sigmoid, text + "m = Mul(x, c); y = Div(m, f32[] 6)", {.atol = 1e-6}));
  CHECK(variants(hard_swish_of_hard_sigmoid, "x: f32[2,3]; h = " + sigmoid + "; y = Mul(x, h)", {.atol = 1e-6}));
}

TEST_CASE("hard_swish refuses other constants") {
  CHECK(given(head + "y = Mul(Mul(x, c), f32[] 0.2)").rule(hard_swish).refuses("1 / 6"));
  CHECK(given(head + "y = Div(Mul(x, c), f32[] 5)").rule(hard_swish).refuses(""));
  for (const std::string_view relu6 :
       {"Clip(Add(x, f32[] 3), f32[] 0, f32[] 5)", "Clip(Add(x, f32[] 2), f32[] 0, f32[] 6)"})
    CHECK(given("x: f32[2]; y = Div(Mul(x, " + std::string(relu6) + "), f32[] 6)").rule(hard_swish).refuses(""));
  CHECK(given("x: f32[2]; y = Mul(x, HardSigmoid(x) {beta=0.5})").rule(hard_swish_of_hard_sigmoid).refuses("1 / 6"));
}

TEST_CASE("hard_swish refuses what no runtime has, and slopes that are near 1 / 6 only") {
  CHECK(given("opset 14; x: f64[4]; y = Div(Mul(x, Clip(Add(x, f64[] 3), f64[] 0, f64[] 6)), f64[] 6)")
            .rule(hard_swish)
            .refuses(""));
  CHECK(given("opset 14; x: f32[4]; y = Mul(x, HardSigmoid(x) {alpha=0.1668})")
            .rule(hard_swish_of_hard_sigmoid)
            .refuses("1 / 6"));
}

namespace {

constexpr std::string_view head = "opset 20; x: f32[2,N]; ";
std::string in(std::string_view text) { return std::string(head) + std::string(text); }
const std::string result = in("y = Gelu(x)");

}  // namespace

TEST_CASE("gelu in three associations, and any order") {
  for (const std::string_view text : {"y = Mul(Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)",
                                      "y = Mul(f32[1] 0.5, Mul(Add(f32[] 1, Erf(Div(x, f32[] 1.4142135))), x))",
                                      "y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))",
                                      "y = Mul(Mul(f32[] 0.5, Add(f32[] 1, Erf(Mul(f32[] 0.70710678, x)))), x)",
                                      "y = Mul(Mul(x, f32[] 0.5), Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1))",
                                      "y = Mul(Add(Erf(Mul(x, f32[] 0.70710678)), f32[1] 1), Mul(f32[] 0.5, x))"}) {
    INFO(text);
    CHECK(given(in(text)).rule(gelu).becomes(result));
    CHECK(given(in(text)).rule(gelu).equivalent());
  }
}

TEST_CASE("gelu through all variants") {
  for (const std::string_view text :
       {"d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(x, a); y = Mul(m, f32[] 0.5)",
        "d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(a, f32[] 0.5); y = Mul(x, m)",
        "d = Div(x, f32[] 1.4142135); a = Add(Erf(d), f32[] 1); m = Mul(x, f32[] 0.5); y = Mul(m, a)"}) {
    const VariantReport report = variants(gelu, in(text));
    CHECK(report);
    CHECK(report.find("another consumer of %d")->outcome == Variant::Outcome::refused);
    CHECK(report.find("another consumer of %m")->outcome == Variant::Outcome::refused);
    CHECK(report.find("opset 19")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("contrib_gelu at any opset, whose domain is imported") {
  const std::string text = "opset 13; x: f16[4]; y = Mul(x, Mul(Add(Erf(Div(x, f16[] 1.414)), f16[] 1), f16[] 0.5))";
  CHECK(given(text).rule(contrib_gelu).becomes("opset 13; x: f16[4]; y = com.microsoft::Gelu(x)"));
  CHECK(given(text).rule(gelu).refuses("opset 13 lacks Gelu"));
}

TEST_CASE("gelu refuses other constants") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(in(text)).rule(gelu).refuses(reason);
  };
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.5)), f32[] 1), f32[] 0.5))", "sqrt(2)"));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Mul(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))", "sqrt(2)"));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.25))", ""));
  CHECK(refuses("y = Mul(x, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 2), f32[] 0.5))", ""));
  CHECK(refuses("z: f32[2,N]; y = Mul(z, Mul(Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1), f32[] 0.5))", ""));
}

TEST_CASE("log_softmax keeps the axis, and what stands for none") {
  const std::string head = "x: f32[2,3,N]; ";
  CHECK(given(head + "y = Log(Softmax(x) {axis=1})").rule(log_softmax).becomes(head + "y = LogSoftmax(x) {axis=1}"));
  CHECK(given(head + "y = Log(Softmax(x))").rule(log_softmax).becomes(head + "y = LogSoftmax(x)"));
  CHECK(given("opset 11; " + head + "y = Log(Softmax(x))")
            .rule(log_softmax)
            .becomes("opset 11; " + head + "y = LogSoftmax(x)"));
}

TEST_CASE("log_softmax through all variants") {
  const VariantReport report = variants(log_softmax, "x: f32[2,3,N]; t = Tanh(x); h = Softmax(t) {axis=1}; y = Log(h)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
}
