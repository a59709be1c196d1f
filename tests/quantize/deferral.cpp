#include <graft/quantize/deferral.hpp>

#include <cmath>

#include <catch2/catch.hpp>

#include <graft/quantize/targets.hpp>

#include "nets.hpp"

using namespace graft;

TEST_CASE("the overhang is how far q-params reach beyond bounds", "[quantize]") {
  CHECK(overhang({0.5f, 0, DType::u8}, {0, 100}) == 27.5f);
  CHECK(overhang({0.5f, 10, DType::u8}, {0, INFINITY}) == 5);
  CHECK(overhang({0.25f, 0, DType::u8}, {0, 100}) <= 0);
}

TEST_CASE("a refused deferral says why, and by how much", "[quantize]") {
  Net net;
  const Node& clip = *net.clip(*net.x, 0, 6, "clip").producer();
  const Verdict beyond = deferrable(clip, {0.5f, 0, DType::u8}, targets::ort_cpu_x64);
  REQUIRE_FALSE(beyond);
  CHECK(beyond.reason().code == "activation_not_redundant");
  CHECK(beyond.reason().numbers[0] == 121.5);
  const Node& sigmoid = *net.op("Sigmoid", {net.x}, "sigmoid").producer();
  CHECK(deferrable(sigmoid, {0.5f, 0, DType::u8}, targets::ort_cpu_x64).reason().code == "activation_unsupported");
}

TEST_CASE("the slack of the target counts as inside", "[quantize]") {
  Net net;
  const Node& clip = *net.clip(*net.x, 0, 1, "clip").producer();
  const QParams q{1.00000012f / 255, 0, DType::u8};
  REQUIRE(overhang(q, {0, 1}) > 0);
  CHECK(deferrable(clip, q, targets::ort_cpu_x64));
  Target strict = targets::ort_cpu_x64;
  strict.redundancy_slack = 0;
  CHECK_FALSE(deferrable(clip, q, strict));
}

TEST_CASE("what an activation makes gets q-params that keep it deferrable", "[quantize]") {
  Net net;
  Value& clip = net.clip(*net.x, 0, 6, "clip");
  Value& relu = net.op("Relu", {net.x}, "relu");
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_arm64}) {
    for (const Range range :
         {Range{0, 6}, Range{0, 6.0000005f}, Range{0, 60}, Range{-3, 6}, Range{0.5f, 3}, Range{0, 0}})
      CHECK(deferrable(*clip.producer(), activation_qparams(clip, range, *target), *target));
    CHECK(deferrable(*relu.producer(), activation_qparams(relu, {-1, 7}, *target), *target));
  }
}

TEST_CASE("a target that always fuses leaves the scale of a Clip as it is", "[quantize]") {
  Net net;
  Value& clip = net.clip(*net.x, 0, 7.97f, "clip");
  CHECK(activation_qparams(clip, {0, 7.97f}, targets::onednn) == choose_qparams({0, 7.97f}, DType::u8));
  CHECK(activation_qparams(clip, {0, 7.97f}, targets::ort_cpu_x64) != choose_qparams({0, 7.97f}, DType::u8));
}

TEST_CASE("a target that wants zero points of 0 gets unsigned activations where nothing is negative", "[quantize]") {
  Net net;
  Target target = targets::ort_cpu_arm64;
  target.zero_point_zero = true;
  Value& relu = net.op("Relu", {net.x}, "relu");
  CHECK(activation_qparams(relu, {0, 5.1f}, target) == QParams{0.02f, 0, DType::u8});
  CHECK(deferrable(*relu.producer(), activation_qparams(relu, {0, 5.1f}, target), target));
  CHECK(activation_qparams(*net.x, {-1.27f, 1}, target) == QParams{0.01f, 0, DType::i8});
}
