#include <graft/quantize/kernel/deferral.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

#include "quantize/nets.hpp"

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

TEST_CASE("a zero point of float8 is not a lowest integer", "[quantize]") {
  Net net(19);
  Value& z = net.builder.constant(Tensor::of<float>(DType::f8e4m3fn, {}, std::vector<float>{0}), "z");
  Value& q = net.op("QuantizeLinear", {net.x, &net.scalar("s", 1), &z}, "q");
  const RowEnd end(*q.producer());
  CHECK(end.q == QParams{1, 0, DType::f8e4m3fn});
  CHECK_FALSE(end.at_lowest);
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

TEST_CASE("rows of activations: what the runtime removes, merges or computes, and how many", "[quantize]") {
  Net net;
  const Node& relu = *net.op("Relu", {net.x}, "relu").producer();
  const Node& again = *net.op("Relu", {net.x}, "again").producer();
  const Node& clip = *net.clip(*net.x, -1, 6, "clip").producer();
  const Node& leaky = *net.op("LeakyRelu", {net.x}, "leaky").producer();
  const RowEnd end(QParams{6.0f / 255, 0, DType::u8}), shifted(QParams{6.0f / 255, 9, DType::u8});
  const auto code = [](std::vector<const Node*> row, const RowEnd& behind, const Target& target) {
    const Verdict verdict = deferrable(row, behind, target);
    return verdict ? "yes" : std::string(verdict.reason().code);
  };
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_avx2, &targets::ort_cpu_arm64}) {
    CHECK(code({}, end, *target) == "yes");
    CHECK(code({&relu, &clip}, end, *target) == "yes");
    CHECK(code({&relu, &clip}, shifted, *target) == "activation_not_redundant");  // Clip alone would be
    CHECK(code({&clip}, shifted, *target) == "yes");
    CHECK(code({&relu}, shifted, *target) == "activation_not_redundant");
    CHECK(code({&clip, &relu}, end, *target) == "activation_not_redundant");
    CHECK(code({&relu, &again}, end, *target) == "activation_not_redundant");
    CHECK(code({&relu, &leaky}, end, *target) == "activation_unsupported");
  }
  CHECK(code({&relu, &clip, &leaky}, shifted, targets::onednn) == "yes");
  CHECK(code({&relu, &clip, &leaky, &relu}, shifted, targets::onednn) == "activations_in_a_row");
  CHECK(code({&leaky}, shifted, targets::paper) == "yes");
  CHECK(code({&relu, &clip}, end, targets::paper) == "activations_in_a_row");
}

TEST_CASE("what the runtime asks of the QuantizeLinear is asked before an activation is deferred", "[quantize]") {
  Net net;
  Value& relu = net.op("Relu", {net.x}, "relu");
  Value& clip = net.clip(*net.x, 0, 6, "clip");
  Value& zero = net.builder.constant(Tensor::scalar(std::uint8_t{0}), "zero");
  Value& one = net.builder.constant(Tensor::scalar(std::uint8_t{1}), "one");
  int number = 0;
  const auto defers = [&](Value& value, Value& scale, Value* zero_point) {
    Value& made = net.op("QuantizeLinear", {&value, &scale, zero_point}, "q" + std::to_string(number++));
    const std::array<const Node*, 1> row{value.producer()};
    return static_cast<bool>(deferrable(row, RowEnd(*made.producer()), targets::ort_cpu_x64));
  };
  Value& scalar = net.scalar("scalar", 0.01f);
  Value& list = net.constant("list", {0.01f}, {1});
  CHECK(defers(relu, scalar, &zero));
  CHECK(defers(relu, list, &zero));
  CHECK_FALSE(defers(relu, scalar, nullptr));
  CHECK_FALSE(defers(relu, net.scalar("tiny", 1e-9f), &one));  // within the slack, which is not asked for Relu
  CHECK(defers(clip, scalar, &zero));
  CHECK_FALSE(defers(clip, list, &zero));
  CHECK_FALSE(defers(clip, scalar, nullptr));
}

TEST_CASE("what an activation makes gets q-params that keep it deferrable", "[quantize]") {
  Net net;
  Value& clip = net.clip(*net.x, 0, 6, "clip");
  Value& relu = net.op("Relu", {net.x}, "relu");
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_avx2, &targets::ort_cpu_arm64}) {
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

TEST_CASE("a target that needs zero points of 0 gets unsigned activations where nothing is negative", "[quantize]") {
  Net net;
  Target target = targets::ort_cpu_arm64;
  target.zero_points = ZeroPoints::zero_either_sign;
  Value& relu = net.op("Relu", {net.x}, "relu");
  CHECK(activation_qparams(relu, {0, 5.1f}, target) == QParams{0.02f, 0, DType::u8});
  CHECK(deferrable(*relu.producer(), activation_qparams(relu, {0, 5.1f}, target), target));
  CHECK(activation_qparams(*net.x, {-1.27f, 1}, target) == QParams{0.01f, 0, DType::i8});
}

TEST_CASE("a target of signed dtypes with zero points of 0 gets a symmetric range for every tensor", "[quantize]") {
  Net net;
  Target target = targets::ort_cpu_arm64;
  target.zero_points = ZeroPoints::zero;
  CHECK(activation_qparams(*net.x, {-1, 1.27f}, target) == QParams{0.01f, 0, DType::i8});
  Value& relu = net.op("Relu", {net.x}, "relu");
  CHECK(activation_qparams(relu, {0, 1.27f}, target) == QParams{0.01f, 0, DType::i8});
  CHECK_FALSE(deferrable(*relu.producer(), activation_qparams(relu, {0, 1.27f}, target), target));
  Value& even = net.clip(*net.x, -6, 6, "even");
  CHECK(activation_qparams(even, {-9, 9}, target) == QParams{6.0f / 128, 0, DType::i8});
  CHECK(deferrable(*even.producer(), activation_qparams(even, {-9, 9}, target), target));
  Value& uneven = net.clip(*net.x, -1, 6, "uneven");  // inside these bounds, Q would lose what is above 1
  CHECK(activation_qparams(uneven, {-1, 6}, target) == QParams{6.0f / 127, 0, DType::i8});
}
