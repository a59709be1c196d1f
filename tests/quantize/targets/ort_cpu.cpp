#include <graft/quantize/targets/ort_cpu.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/deferral.hpp>

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

TEST_CASE("x86-64 takes unsigned activations, ARM64 signed ones", "[quantize]") {
  CHECK(targets::ort_cpu_x64.activation == DType::u8);
  CHECK(targets::ort_cpu_arm64.activation == DType::i8);
}
