#include <graft/simplify/activation.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
