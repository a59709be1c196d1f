#include <graft/simplify/fuse/bn_before_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("bn_before_conv scales the weights and adds to the bias") {
  CHECK(given("x: f32[1,2,N,4]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = Conv(BatchNormalization(x, s, o, m, v) {epsilon=1}, f32[1,2,1,2] {1, 2, 3, 4}, f32[1] 100)")
            .rule(bn_before_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[1,2,1,2] {0.5, 1, 6, 8}, f32[1] 113.5)"));  // 100 - 3*2.5 + 7*3
  CHECK(given("x: f32[N,2]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = Gemm(BatchNormalization(x, s, o, m, v) {epsilon=1}, f32[2,1] {2, 10}) {alpha=2}")
            .rule(bn_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[2,1] {1, 20}, f32[1] 50) {alpha=2}"));
}

TEST_CASE("bn_before_conv through all variants") {
  const VariantReport report =
      variants(bn_before_conv,
               "x: f32[2,4,4,N]; s = f32[4] random; o = f32[4] random; m = f32[4] random; v = f32[4] random(0.5, 2);"
               "w = f32[2,2,3,3] random; b = f32[2] random;"
               "h = BatchNormalization(x, s, o, m, v) {epsilon=0.01}; y = Conv(h, w, b) {group=2}",
               {.atol = 1e-5});
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("bn_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bn_before_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[1,2,3]; p = f32[2] 1; w = f32[1,2,3] 1;"
                "y = Conv(BatchNormalization(x, p, p, p, p), w) {pads=[1,1]}",
                "padding"));
  CHECK(refuses("x: f32[1,2,3]; p = f32[2] 1; q = f32[1] 1; w = f32[1,2,1] 1;"
                "y = Conv(BatchNormalization(x, p, p, p, q), w)",
                "one value for each input channel"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] -1; w = f32[1,1,1] 1; y = Conv(BatchNormalization(x, p, p, p, p), w)",
                "do not add up"));
  CHECK(refuses("x: f32[2,2]; p = f32[2] 1; y = Gemm(BatchNormalization(x, p, p, p, p), f32[2,1] 1) {transA=1}",
                "transposes"));
  CHECK(refuses("opset 15; x: f32[1,2,3]; p = f32[2] 1; h, m, v = BatchNormalization(x, p, p, p, p) {training_mode=1};"
                "y = Conv(h, f32[1,2,1] 1); return y",
                "training_mode"));
}
