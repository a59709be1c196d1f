#include <graft/graph/infer/quantization.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;

TEST_CASE("QuantizeLinear: the dtype is that of the zero point, of the attribute, or u8") {
  CHECK(told("QuantizeLinear", {"f32[N,3]", "f32[]", "i8[]"}) == "i8[N,3]");
  CHECK(told("QuantizeLinear", {"f32[N,3]", "f32[]"}) == "u8[N,3]");
  CHECK(told("QuantizeLinear", {"f32[N,3]", "f32[]"}, {{"output_dtype", DType::i4}}) == "i4[N,3]");
  CHECK(told("com.microsoft::QuantizeLinear", {"f32[N,3]", "f32[]", "u16[]"}) == "u16[N,3]");
}

TEST_CASE("DequantizeLinear: the dtype is that of the scale, unless the attribute says") {
  CHECK(told("DequantizeLinear", {"i8[N,3]", "f32[]", "i8[]"}) == "f32[N,3]");
  CHECK(told("DequantizeLinear", {"i8[N,3]", "f16[]"}) == "f16[N,3]");
  CHECK(told("DequantizeLinear", {"i8[N,3]", "f32[]"}, {{"output_dtype", DType::f16}}, {.opset = 23}) == "f16[N,3]");
  CHECK(told("com.microsoft::DequantizeLinear", {"i8[N,3]", "f16[]"}) == "f16[N,3]");
}

TEST_CASE("DynamicQuantizeLinear gives scalars for scale and zero point") {
  CHECK(told("DynamicQuantizeLinear", {"f32[N,3]"}, {}, {.outputs = 3}) == "u8[N,3] f32[] u8[]");
}
