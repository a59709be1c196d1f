#include <graft/qdq/qdq_to_clip.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string pair(std::string_view scale, std::string_view zero_point = "", std::string_view head = "x: f32[2,N]; ") {
  const std::string params =
      ", " + std::string(scale) + (zero_point.empty() ? "" : ", ") + std::string(zero_point) + ")";
  return std::string(head) + "y = DequantizeLinear(QuantizeLinear(x" + params + params;
}

}  // namespace

TEST_CASE("a pair becomes a Clip to what its integers stand for") {
  const auto becomes = [](const std::string& text, std::string_view clip) {
    return given(text).pass(qdq_to_clips()).becomes("x: f32[2,N]; y = " + std::string(clip));
  };
  CHECK(becomes(pair("f32[] 0.1", "u8[] 128"), "Clip(x, f32[] -12.8, f32[] 12.7)"));
  CHECK(becomes(pair("f32[1] 0.5", "i8[1] {-28}"), "Clip(x, f32[] -50, f32[] 77.5)"));
  CHECK(becomes(pair("f32[] 0.5"), "Clip(x, f32[] 0, f32[] 127.5)"));
  CHECK(given(pair("f32[] 1", "u16[] 5", "opset 21; x: f32[2]; "))
            .rule(qdq_to_clip)
            .becomes("opset 21; x: f32[2]; y = Clip(x, f32[] -5, f32[] 65530)"));
  CHECK(given(pair("f32[] 1", "i4[] 0", "opset 21; x: f32[2]; "))
            .rule(qdq_to_clip)
            .becomes("opset 21; x: f32[2]; y = Clip(x, f32[] -8, f32[] 7)"));
  CHECK(given(pair("f16[] 0.5", "i8[] 0", "opset 19; x: f16[2]; "))
            .rule(qdq_to_clip)
            .becomes("opset 19; x: f16[2]; y = Clip(x, f16[] -64, f16[] 63.5)"));
}

TEST_CASE("bounds are attributes before opset 11") {
  CHECK(given(pair("f32[] 0.5", "i8[] 0", "opset 10; x: f32[2]; "))
            .rule(qdq_to_clip)
            .becomes("opset 10; x: f32[2]; y = Clip(x) {min=-64.0, max=63.5}"));
}

TEST_CASE("qdq_to_clip through all variants") {
  // On multiples of the scale rounding changes nothing.
  CHECK(variants(qdq_to_clip,
                 "x: f32[2,N]; r = Round(x); q = QuantizeLinear(r, f32[] 1, i8[] 3);"
                 "d = DequantizeLinear(q, f32[] 1, i8[] 3); y = Neg(d)"));
}

TEST_CASE("qdq_to_clip refuses") {
  CHECK(given("x: f32[2,3]; s = f32[2] {1, 2}; y = DequantizeLinear(QuantizeLinear(x, s) {axis=0}, s) {axis=0}")
            .rule(qdq_to_clip)
            .refuses("several scales"));
  CHECK(given("x: f32[2]; y = DequantizeLinear(QuantizeLinear(x, f32[] 1), f32[] 2)").rule(qdq_to_clip).refuses(""));
  CHECK(given(pair("f32[] 1", "f8e4m3fn[] 0", "opset 19; x: f32[2]; ")).rule(qdq_to_clip).refuses("integers"));
}
