#include <graft/transformer/fused_operators.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("A table of fused operators finds them by name") {
  STATIC_REQUIRE(fused_operators::ort_cpu.contains("com.microsoft::MultiHeadAttention"));
  STATIC_REQUIRE(!fused_operators::ort_cpu.contains("com.microsoft::PackedAttention"));
  STATIC_REQUIRE(fused_operators::ort_cpu.find("com.microsoft::QuickGelu")->at_load == AtLoad::sometimes_fused);
  STATIC_REQUIRE(!fused_operators::onnx.contains("com.microsoft::Gelu"));
}

TEST_CASE("Tables of fused operators are found by their runtimes") {
  CHECK(fused_operators::tables().at("ort-cpu").contains("com.microsoft::FastGelu"));
  CHECK(fused_operators::tables().at("onnx").contains("RMSNormalization"));
  CHECK(fused_operators::tables().at("ort-cpu-generation").generates);
  CHECK_FALSE(fused_operators::tables().at("ort-cpu").generates);
  CHECK_THROWS_WITH(fused_operators::tables().at("no-such"), Catch::Contains("ort-cpu"));
}
