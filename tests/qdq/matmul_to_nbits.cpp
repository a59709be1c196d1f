#include <graft/qdq/matmul_to_nbits.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string product(std::string_view weight, std::string_view scales, std::string_view attributes = "") {
  return "x: f32[3,20]; y = MatMul(x, DequantizeLinear(" + std::string(weight) + ", " + std::string(scales) + ")" +
         std::string(attributes) + ")";
}

}  // namespace

TEST_CASE("a product by a dequantized matrix keeps its integers in MatMulNBits", "[qdq]") {
  const struct {
    std::string weight, scales, attributes;
    std::int64_t bits, block_size;
  } cases[] = {
      {"i8[20,6] random(-2, 1)", "f32[6] random(0.1, 1)", " {axis=1}", 2, 32},
      {"i8[20,6] random(-7, 7)", "f32[] 0.25", "", 4, 32},
      {"i8[20,6] random(-100, 100)", "f32[6] random(0.1, 1)", " {axis=-1}", 8, 32},
      {"u8[20,6] random(124, 131)", "f32[] 0.25, u8[] 128", "", 4, 32},
      {"i4[20,6] random(-7, 7)", "f32[2,6] random(0.1, 1)", " {axis=0, block_size=16}", 4, 16},
  };
  for (const auto& [weight, scales, attributes, bits, block_size] : cases) {
    INFO(weight);
    const std::string text = "opset 21; " + product(weight, scales, attributes);
    Model model = graph(text);
    REQUIRE(matmuls_to_nbits().run(model).changes == 1);
    const Node& node = model.graph().nodes().front();
    CHECK(node.is("com.microsoft::MatMulNBits"));
    CHECK(node.attr<std::int64_t>("bits") == bits);
    CHECK(node.attr<std::int64_t>("block_size") == block_size);
    CHECK(model.graph().nodes().size() == 1);
    CHECK(given(text).pass(matmuls_to_nbits()).equivalent({.inputs = 3, .atol = 1e-4}));
  }
}

TEST_CASE("other products stay as they are", "[qdq]") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given("opset 21; " + text).rule(matmul_to_nbits).refuses(reason);
  };
  CHECK(refuses(product("i16[20,6] random(-7, 7)", "f32[] 0.25"), "at most 8 bits"));
  CHECK(refuses(product("i8[20,6] random(-7, 7)", "f32[20] random(0.1, 1)", " {axis=0}"), "those of columns"));
  const std::string_view no_middle = "its zero point is not the middle";
  CHECK(refuses(product("i8[20,6] random(-7, 7)", "f32[] 0.25, i8[] 1"), no_middle));
  CHECK(refuses(product("u8[20,6] random(0, 7)", "f32[] 0.25, u8[] 0"), no_middle));
  CHECK(refuses(product("u8[20,6] random(0, 7)", "f32[] 0.25"), no_middle));
  CHECK(refuses(product("i8[20,6] random(-7, 7)", "f32[10,6] 0.25", " {axis=0, block_size=2}"), "a power of two"));
  CHECK(refuses("x: f32[2,3,20]; y = MatMul(x, DequantizeLinear(i8[2,20,6] 1, f32[] 0.25))", "not a matrix"));
}
