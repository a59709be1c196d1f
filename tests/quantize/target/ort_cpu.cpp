#include <graft/quantize/target/ort_cpu.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/testing.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("ONNX Runtime drops Relu and Clip in front of Q, and no other activation", "[quantize]") {
  Net net(20);
  const auto defers = [&](Value& value, const QParams& q) {
    return static_cast<bool>(deferrable(*value.producer(), q, targets::ort_cpu_x64));
  };
  Value& relu = net.op("Relu", {net.x}, "relu");
  CHECK(defers(relu, {0.1f, 0, DType::u8}));
  CHECK(defers(relu, {0.1f, -128, DType::i8}));
  CHECK_FALSE(defers(relu, {0.1f, 1, DType::u8}));
  CHECK_FALSE(defers(relu, {0.1f, 0, DType::i8}));
  Value& clip = net.clip(*net.x, 0, 6, "clip");
  CHECK(defers(clip, {6.0f / 255, 0, DType::u8}));
  CHECK_FALSE(defers(clip, {6.1f / 255, 0, DType::u8}));
  for (const char* const op : {"LeakyRelu", "Sigmoid", "HardSwish", "Tanh", "Elu", "Gelu"})
    CHECK_FALSE(defers(net.op(op, {net.x}, op), {0.1f, 0, DType::u8}));
}

TEST_CASE("the runtime makes MatMulNBits of a DequantizeLinear of 4 bits, since release 1.27 of 8 too", "[quantize]") {
  const auto takes = [](const Target& target, int bits) {
    const BlockKernel& kernel = target.block_kernels.front();
    return kernel.op == "DequantizeLinear" && kernel.takes(bits, 32);
  };
  CHECK(takes(targets::ort_cpu_x64, 4));
  CHECK_FALSE(takes(targets::ort_cpu_x64, 8));
  CHECK(takes(targets::named("ort-cpu-x64@1.27"), 4));
  CHECK(takes(targets::named("ort-cpu-x64@1.27"), 8));
}

TEST_CASE("x86-64 takes unsigned activations, ARM64 signed ones", "[quantize]") {
  CHECK(targets::ort_cpu_x64.activation == DType::u8);
  CHECK(targets::ort_cpu_arm64.activation == DType::i8);
}

TEST_CASE("without VNNI weights take 7 bits, except for depthwise convolutions", "[quantize]") {
  const auto codes = [](const Target& target, std::int64_t group) {
    Model model = graph("x: f32[1,4,4,4]; w = f32[4," + std::to_string(4 / group) +
                        ",1,1] random; y = Conv(x, w) {group=" + std::to_string(group) + "}");
    (inject_qdq(Ranges{{"x", {-1, 1}}, {"y", {-1, 1}}}, target) | quantize_weights(Granularity::per_channel, target))
        .run(model);
    const auto conv = [](const Node& node) { return node.is("Conv"); };
    const Node& found = *std::find_if(model.graph().nodes().begin(), model.graph().nodes().end(), conv);
    int greatest = 0;
    for (const int code : found.input(1)->producer()->input(0)->constant().value().to<int>())
      greatest = std::max(greatest, std::abs(code));
    const OperatorOutcome told = audit(model.graph(), targets::ort_cpu_avx2).of("Conv").findings.at(0);
    CHECK(told.fused());
    CHECK(told.code == (greatest > 64 && group < 4 ? "saturates" : ""));
    return greatest;
  };
  CHECK(codes(targets::ort_cpu_avx2, 1) == 63);
  CHECK(codes(targets::ort_cpu_avx2, 2) == 63);
  CHECK(codes(targets::ort_cpu_avx2, 4) == 127);
  CHECK(codes(targets::ort_cpu_x64, 1) == 127);
}
