#include <graft/quantize/target/onednn.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/kernel/deferral.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("oneDNN fuses its post-ops whatever the q-params", "[quantize]") {
  Net net(20);
  for (const char* const op : {"Relu", "LeakyRelu", "HardSwish", "Sigmoid", "Tanh", "Gelu", "Mish", "Elu"})
    CHECK(deferrable(*net.op(op, {net.x}, op).producer(), {0.1f, 77, DType::u8}, targets::onednn));
  CHECK_FALSE(deferrable(*net.op("Softsign", {net.x}, "softsign").producer(), {0.1f, 77, DType::u8}, targets::onednn));
}

TEST_CASE("oneDNN computes with a second tensor what makes one of two, whatever the order where it does not matter",
          "[quantize]") {
  Net net(14);
  Value& y = net.conv(*net.x);
  const Value& sum = net.op("Add", {net.x, &y}, "sum");
  const Value& difference = net.op("Sub", {net.x, &y}, "difference");
  const Value& three = net.op("Max", {&y, net.x, net.x}, "three");
  CHECK(detail::fuses_reader(*sum.producer(), y, targets::onednn));
  CHECK(detail::fuses_reader(*difference.producer(), *net.x, targets::onednn));
  CHECK_FALSE(detail::fuses_reader(*difference.producer(), y, targets::onednn));
  CHECK_FALSE(detail::fuses_reader(*three.producer(), y, targets::onednn));
  Value& other = net.conv(*net.x, "other");
  const Value& both = net.op("Add", {&other, &y}, "both");
  CHECK(detail::fuses_reader(*both.producer(), other, targets::onednn));
  CHECK_FALSE(detail::fuses_reader(*both.producer(), y, targets::onednn));
}

TEST_CASE("a Clip to bounds that are not constant is none of oneDNN's", "[quantize]") {
  Net net;
  const Node& clip = *net.op("Clip", {net.x, &net.scalar("min", 0), net.x}, "clip").producer();
  CHECK_FALSE(deferrable(clip, {0.1f, 77, DType::u8}, targets::onednn));
}

TEST_CASE("oneDNN adds the bias as float", "[quantize]") { CHECK(targets::onednn.bias == BiasForm::float32); }
