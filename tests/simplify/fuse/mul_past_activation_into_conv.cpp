#include <graft/simplify/fuse/mul_past_activation_into_conv.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,1,2,2]; w = f32[2,1,1,1] {1, 2}; b = f32[2] {1, 2}; ";

}  // namespace

TEST_CASE("a positive factor goes past Relu into the Conv") {
  CHECK(given(head + "y = Mul(Relu(Conv(x, w, b)), f32[2,1,1] {2, 4})")
            .rule(mul_past_relu_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Relu(Conv(x, f32[2,1,1,1] {2, 8}, f32[2] {2, 8}))"));
}

TEST_CASE("a positive factor goes past Clip into the Conv, and scales the bounds") {
  CHECK(given(head + "y = Div(Clip(Conv(x, w, b), f32[] 0, f32[] 6), f32[] 4)")
            .rule(mul_past_clip_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {0.25, 0.5}, f32[2] {0.25, 0.5}),"
                     "f32[] 0, f32[] 1.5)"));
  CHECK(given("opset 10; x: f32[1,1,2,2]; w = f32[2,1,1,1] {1, 2}; y = Mul(f32[] 2, Clip(Conv(x, w)) {max=3})")
            .rule(mul_past_clip_into_conv)
            .becomes("opset 10; x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {2, 4})) {max=6}"));
}

TEST_CASE("mul_past_activation_into_conv through all variants") {
  const std::string in = "x: f32[1,3,5,5]; w = f32[4,3,3,3] random; b = f32[4] random; a = Conv(x, w, b); ";
  const VariantReport relu = variants(
      mul_past_relu_into_conv, in + "c = f32[4,1,1] random(0.5, 2); h = Relu(a); y = Mul(h, c)", {.atol = 1e-5});
  CHECK(relu);
  const VariantReport clip = variants(
      mul_past_clip_into_conv, in + "c = f32[] 4; l = f32[] -0.25; u = f32[] 0.5; h = Clip(a, l, u); y = Div(h, c)",
      {.atol = 1e-5});
  CHECK(clip);
  CHECK(clip.find("%l as an input that callers may override")->outcome == Variant::Outcome::refused);
  for (const VariantReport* const report : {&relu, &clip}) {
    CHECK(report->find("another consumer of %a")->outcome == Variant::Outcome::refused);
    CHECK(report->find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report->find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("mul_past_activation_into_conv refuses") {
  CHECK(given(head + "y = Mul(Relu(Conv(x, w)), f32[] -1)").rule(mul_past_relu_into_conv).refuses("positive"));
  CHECK(given(head + "y = Div(Relu(Conv(x, w)), f32[] 0)").rule(mul_past_relu_into_conv).refuses("positive"));
  CHECK(given(head + "y = Mul(Clip(Conv(x, w), f32[] 0), f32[2,1,1] {1, 2})")
            .rule(mul_past_clip_into_conv)
            .refuses("one value"));
  CHECK(given(head + "l: f32[]; y = Mul(Clip(Conv(x, w), l), f32[] 2)").rule(mul_past_clip_into_conv).refuses(""));
  CHECK(given(head + "y = Mul(Sigmoid(Conv(x, w)), f32[] 2)").rule(mul_past_relu_into_conv).refuses(""));
}

TEST_CASE("bounds are rounded once") {
  CHECK(given(head + "y = Div(Clip(Conv(x, w, b), f32[] 0, f32[] 6), f32[] 30)")
            .rule(mul_past_clip_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {0.033333335, 0.06666667},"
                     "f32[2] {0.033333335, 0.06666667}), f32[] 0, f32[] 0.2)"));
}
