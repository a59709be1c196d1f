#include "execution_provider/accelerator.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string between_pair(const std::string& operation, const std::string& params = "f32[] 0.5, u8[] 3",
                         const std::string& input = "q: u8[1,1,4,4]") {
  const std::string dequantized = "DequantizeLinear(q, f32[] 0.5, u8[] 3)";
  std::string call = operation;
  call.replace(call.find('$'), 1, dequantized);
  return input + "; y = QuantizeLinear(" + call + ", " + params + ")";
}

}  // namespace

TEST_CASE("accelerator: pools and movement leave their pairs") {
  const std::string pool = "MaxPool($) {kernel_shape=[2,2]}";
  CHECK(given(between_pair(pool))
            .rule(accelerator::pool_out_of_pair)
            .becomes("q: u8[1,1,4,4]; y = MaxPool(q) {kernel_shape=[2,2]}"));
  CHECK(given(between_pair(pool)).rule(accelerator::pool_out_of_pair).equivalent({.atol = 0, .rtol = 0}));
  CHECK(given(between_pair(pool, "f32[] 0.25, u8[] 3")).rule(accelerator::pool_out_of_pair).refuses("bound to before"));
  CHECK(given(between_pair("Transpose($) {perm=[0,1,3,2]}"))
            .rule(accelerator::movement_out_of_pair)
            .becomes("q: u8[1,1,4,4]; y = Transpose(q) {perm=[0,1,3,2]}"));
  CHECK(given(between_pair("Reshape($, i64[2] {4, 4})"))
            .rule(accelerator::movement_out_of_pair)
            .becomes("q: u8[1,1,4,4]; y = Reshape(q, i64[2] {4, 4})"));
  CHECK(variants(accelerator::movement_out_of_pair,
                 "q: u8[2,3]; t = Transpose(DequantizeLinear(q, f32[] 0.5, u8[] 3));"
                 "r = QuantizeLinear(t, f32[] 0.5, u8[] 3); y = Cast(r) {to=f32}"));
}

TEST_CASE("accelerator: an activation vanishes in the range of its quantizer") {
  const auto relu6 = [](const std::string& params) {
    return given("x: f32[64]; y = QuantizeLinear(Clip(x, f32[] 0, f32[] 6), " + params + ")")
        .rule(accelerator::clip_into_range);
  };
  CHECK(relu6("f32[] 0.0234375, u8[] 0").becomes("x: f32[64]; y = QuantizeLinear(x, f32[] 0.0234375, u8[] 0)"));
  CHECK(relu6("f32[] 0.0234375, u8[] 0").equivalent({.atol = 0, .rtol = 0}));
  CHECK(relu6("f32[] 0.03125, u8[] 0").refuses("the quantized range, from 0 to 7.96875, goes beyond 0 to 6"));
  CHECK(relu6("f32[] 0.0234375, u8[] 128").refuses("goes beyond"));
  CHECK(given("x: f32[64]; y = QuantizeLinear(Relu(x), f32[] 0.1, u8[] 0)")
            .rule(accelerator::relu_into_range)
            .becomes("x: f32[64]; y = QuantizeLinear(x, f32[] 0.1, u8[] 0)"));
  CHECK(given("x: f32[64]; y = QuantizeLinear(Relu(x), f32[] 0.1, i8[] 0)")
            .rule(accelerator::relu_into_range)
            .refuses("goes beyond"));
}

TEST_CASE("accelerator: biases are float") {
  CHECK(given("x: f32[2]; y = Add(x, DequantizeLinear(i32[2] {3, -5}, f32[] 0.5))")
            .rule(accelerator::bias_to_float)
            .becomes("x: f32[2]; y = Add(x, f32[2] {1.5, -2.5})"));
}

TEST_CASE("accelerator: the normal form of a net") {
  const std::string pair = "f32[] 0.0234375, u8[] 0";
  CHECK(given("q: u8[1,2,4,4]; x = DequantizeLinear(q, " + pair + "); w = i8[2,2,1,1] {1, 2, 3, 4};" +
              "c = Conv(x, DequantizeLinear(w, f32[] 0.5), DequantizeLinear(i32[2] {64, 128}, f32[] 0.015625));" +
              "d = DequantizeLinear(QuantizeLinear(c, f32[] 0.1, u8[] 100), f32[] 0.1, u8[] 100);" +
              "r = DequantizeLinear(QuantizeLinear(Clip(d, f32[] 0, f32[] 6), " + pair + "), " + pair + ");" +
              "y = QuantizeLinear(MaxPool(r) {kernel_shape=[2,2]}, " + pair + ")")
            .pass(accelerator::normal_form())
            .becomes("q: u8[1,2,4,4]; x = DequantizeLinear(q, " + pair + "); w = i8[2,2,1,1] {1, 2, 3, 4};" +
                     "c = Conv(x, DequantizeLinear(w, f32[] 0.5), f32[2] {1, 2});" + "y = MaxPool(QuantizeLinear(c, " +
                     pair + ")) {kernel_shape=[2,2]}"));
}
