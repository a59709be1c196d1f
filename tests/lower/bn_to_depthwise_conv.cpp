#include <graft/lower/bn_to_depthwise_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("bn_to_depthwise_conv has one kernel of one element for each channel") {
  CHECK(given("x: f32[1,2,N,4]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = BatchNormalization(x, s, o, m, v) {epsilon=1}")
            .rule(bn_to_depthwise_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[2,1,1,1] {0.5, 2}, f32[2] {-2.5, 3}) {group=2}"));
  CHECK(given("x: f16[1,1,N]; p = f16[1] 4; y = BatchNormalization(x, p, p, p, p) {epsilon=0}")
            .rule(bn_to_depthwise_conv)
            .becomes("x: f16[1,1,N]; y = Conv(x, f16[1,1,1] 2, f16[1] -4)"));
}

TEST_CASE("bn_to_depthwise_conv through all variants") {
  const VariantReport report =
      variants(bn_to_depthwise_conv,
               "x: f32[2,3,4,N]; s = f32[3] random; o = f32[3] random; m = f32[3] random; v = f32[3] random(0.5, 2);"
               "h = Relu(x); y = BatchNormalization(h, s, o, m, v) {epsilon=0.01}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("bn_to_depthwise_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bn_to_depthwise_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[4,2]; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "no spatial axis"));
  CHECK(refuses("x: f32[2,0,4]; p = f32[0] {}; y = BatchNormalization(x, p, p, p, p)", "no elements"));
  CHECK(refuses("x: f32[2,2,0]; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "no elements"));
  CHECK(refuses("x: f32; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "rank is not known"));
  CHECK(refuses("opset 15; x: f32[1,2,3]; p = f32[2] 1;"
                "y, m, v = BatchNormalization(x, p, p, p, p) {training_mode=1}; return y",
                "training_mode"));
  CHECK(refuses("x: f32[1,2,3]; p = f32[2] 1; q = f32[1] 1; y = BatchNormalization(x, p, p, p, q)",
                "one value for each channel"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] -1; y = BatchNormalization(x, p, p, p, p)", "do not add up"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] 1; q = f32[1] inf; y = BatchNormalization(x, p, q, p, p)", "is not finite"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] 1; q = f32[1] nan; y = BatchNormalization(x, p, p, q, p)", "is not finite"));
  CHECK(refuses("x: f16[1,1,3]; p = f16[1] 1; s = f16[1] 60000; v = f16[1] 0.25;"
                "y = BatchNormalization(x, s, p, p, v) {epsilon=0}", "too large for its dtype"));
  CHECK(refuses("x: f16[1,1,3]; p = f16[1] 1; b = f16[1] 60000; m = f16[1] -6000;"
                "y = BatchNormalization(x, p, b, m, p) {epsilon=0}", "too large for its dtype"));
}
