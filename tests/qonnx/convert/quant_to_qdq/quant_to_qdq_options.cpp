#include <graft/qonnx/convert/quant_to_qdq.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("by default a conversion is to 8 bits, and exact except for even zero points", "[qonnx][quant_to_qdq]") {
  const qonnx::QuantToQdqOptions options;
  CHECK_FALSE(options.narrow_types);
  CHECK_FALSE(options.clip_constants);
  CHECK_FALSE(options.lower_rest);
  CHECK(options.zero_points == qonnx::ZeroPoints::even);
}
