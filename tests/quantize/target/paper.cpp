#include <graft/quantize/target/paper.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/kernel/deferral.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("the published set has four activations", "[quantize]") {
  Net net(20);
  const auto defers = [&](const char* op) {
    return static_cast<bool>(deferrable(*net.op(op, {net.x}, op).producer(), {0.1f, 77, DType::u8}, targets::paper));
  };
  for (const char* const op : {"Relu", "LeakyRelu", "Clip", "HardSwish"}) CHECK(defers(op));
  for (const char* const op : {"Sigmoid", "Tanh", "Elu"}) CHECK_FALSE(defers(op));
}
