#include <graft/quantize/targets/onednn.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/deferral.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("oneDNN fuses its post-ops whatever the q-params", "[quantize]") {
  Net net(20);
  for (const char* const op : {"Relu", "LeakyRelu", "HardSwish", "Sigmoid", "Tanh", "Gelu", "Mish", "Elu"})
    CHECK(deferrable(*net.op(op, {net.x}, op).producer(), {0.1f, 77, DType::u8}, targets::onednn));
  CHECK_FALSE(deferrable(*net.op("Softsign", {net.x}, "softsign").producer(), {0.1f, 77, DType::u8}, targets::onednn));
}

TEST_CASE("oneDNN adds the bias as float", "[quantize]") { CHECK(targets::onednn.bias == BiasForm::float32); }
