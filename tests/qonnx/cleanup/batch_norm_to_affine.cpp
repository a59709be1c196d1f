#include <graft/qonnx/cleanup/batch_norm_to_affine.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string statistics = "s = f32[2] {1, 2}; b = f32[2] {0.5, -1}; m = f32[2] {1, 3}; v = f32[2] {3, 0.75}; ";

}  // namespace

TEST_CASE("BatchNormalization becomes a product and a sum along the channels", "[qonnx]") {
  const Trial trial = given("x: f32[1,2,3,3]; " + statistics + "y = BatchNormalization(x, s, b, m, v) {epsilon=0.25}")
                          .pass(qonnx::batch_norms_to_affine());
  CHECK(trial.equivalent());
  const Trial plain = given("x: f32[N,2]; s = f32[2] {1, 2}; b = f32[2] {0.5, -1}; m = f32[2] {1, 3};"
                            "v = f32[2] {3, 0}; y = BatchNormalization(x, s, b, m, v) {epsilon=1.0}")
                          .pass(qonnx::batch_norms_to_affine());
  CHECK(plain.becomes("x: f32[N,2]; y = Add(Mul(x, f32[1,2] {0.5, 2}), f32[1,2] {0, -7})"));
}

TEST_CASE("training, unknown ranks and variances that are no numbers stay", "[qonnx]") {
  CHECK(given("x: f32; " + statistics + "y = BatchNormalization(x, s, b, m, v)")
            .rule(qonnx::batch_norm_to_affine)
            .refuses("rank"));
  CHECK(given("x: f32[1,2]; " + statistics + "y, _, _ = BatchNormalization(x, s, b, m, v) {training_mode=1}")
            .rule(qonnx::batch_norm_to_affine)
            .refuses());
  CHECK(given("x: f32[1,2]; " + statistics + "y = BatchNormalization(x, s, b, m, f32[2] {-1, 1})")
            .rule(qonnx::batch_norm_to_affine)
            .refuses("not finite"));
}

TEST_CASE("batch_norm_to_affine through all variants", "[qonnx]") {
  CHECK(variants(qonnx::batch_norm_to_affine,
                 "x: f32[1,2,2]; " + statistics + "h = BatchNormalization(x, s, b, m, v); y = Neg(h)"));
}
