#include <graft/quantize/kernel/channels.hpp>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("the axis of the output channels is that of the operator", "[quantize]") {
  Net net;
  const auto axis = [&](const char* op, std::size_t rank, const Attributes& attributes = {}) {
    return channel_axis(net.builder.node(op, {net.x, net.x}, 1, attributes), rank);
  };
  CHECK(axis("Conv", 4) == 0u);
  CHECK(axis("ConvTranspose", 4) == 1u);
  CHECK(axis("Gemm", 2) == 1u);
  CHECK(axis("Gemm", 2, {{"transB", 1}}) == 0u);
  CHECK(axis("MatMul", 2) == 1u);
  CHECK_FALSE(axis("MatMul", 3));
  CHECK_FALSE(axis("MatMul", 1));
  CHECK_FALSE(axis("ConvTranspose", 1));
  CHECK_FALSE(axis("Add", 4));
}
