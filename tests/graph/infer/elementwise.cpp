#include <graft/graph/infer/elementwise.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;

TEST_CASE("operators of one operand keep the shape; the dtype is what the schema says") {
  CHECK(told("Relu", {"f16[N,3]"}) == "f16[N,3]");
  CHECK(told("Relu", {"f16"}) == "f16");
  CHECK(told("Clip", {"f32[N,3]", "f32[]", "f32[]"}) == "f32[N,3]");
  CHECK(told("IsNaN", {"f32[N,3]"}) == "bool[N,3]");
  CHECK(told("Softmax", {"f32[N,3]"}) == "f32[N,3]");
  CHECK(told("PRelu", {"f32[N,3]", "f32[3]"}) == "f32[N,3]");
}

TEST_CASE("Identity passes any type") {
  CHECK(told("Identity", {"f16[N,3]"}) == "f16[N,3]");
  CHECK(told("Identity", {"seq(f32[2])"}) == "sequence(f32[2])");
  CHECK(told("Identity", {{1, 2}}) == "i64[2]");
}

TEST_CASE("BitCast changes the dtype to one of the same width") {
  CHECK(told("BitCast", {"f32[N,3]"}, {{"to", DType::i32}}, {.opset = 26}) == "i32[N,3]");
  CHECK(told("BitCast", {"f32[N,3]"}, {{"to", DType::i64}}, {.opset = 26}) == "no: the dtypes are of different width");
}

TEST_CASE("Cast changes the dtype only") {
  CHECK(told("Cast", {"f32[N,3]"}, {{"to", DType::i64}}) == "i64[N,3]");
  CHECK(told("CastLike", {"f32[N,3]", "f16[7]"}) == "f16[N,3]");
  CHECK(told("EyeLike", {"f32[N,3]"}) == "f32[N,3]");
  CHECK(told("EyeLike", {"f32[N,3]"}, {{"dtype", DType::i32}}) == "i32[N,3]");
  CHECK(told("RandomNormalLike", {"f32[N,3]"}, {{"dtype", DType::f16}}) == "f16[N,3]");
}

TEST_CASE("two operands broadcast") {
  CHECK(told("Add", {"f32[N,1,3]", "f32[4,1]"}) == "f32[N,4,3]");
  CHECK(told("Equal", {"f32[N,3]", "f32[3]"}) == "bool[N,3]");
  CHECK(told("Pow", {"f32[N,3]", "i64[]"}) == "f32[N,3]");
  CHECK(told("Add", {"f32", "f32[3]"}) == "f32");
  CHECK(told("Add", {"f32[2]", "f32[3]"}) == "no: the inputs do not broadcast");
}

TEST_CASE("before version 7 the second operand went into the first") {
  CHECK(told("Add", {"f32[2,3,4]", "f32[3]"}, {{"broadcast", 1}, {"axis", 1}}, {.opset = 6}) == "f32[2,3,4]");
}

TEST_CASE("many operands broadcast") {
  CHECK(told("Max", {"f32[N,1]", "f32[3]", "f32[]"}) == "f32[N,3]");
  CHECK(told("Sum", {"f32[N,1]"}) == "f32[N,1]");
  CHECK(told("Max", {"f32[2,3]", "f32[2,3]"}, {}, {.opset = 7}) == "f32[2,3]");
  CHECK(told("Where", {"bool[N,1]", "i32[3]", "i32[]"}) == "i32[N,3]");
}

TEST_CASE("Dropout's mask is bool from version 10") {
  CHECK(told("Dropout", {"f32[N,3]"}, {}, {.opset = 12, .outputs = 2}) == "f32[N,3] bool[N,3]");
  CHECK(told("Dropout", {"f32[N,3]"}, {}, {.opset = 7, .outputs = 2}) == "f32[N,3] f32[N,3]");
}

TEST_CASE("the quantizers of QONNX keep the type") {
  CHECK(told("qonnx.custom_op.general::Quant", {"f32[N,3]", "f32[]", "f32[]", "f32[]"}) == "f32[N,3]");
  CHECK(told("onnx.brevitas::BipolarQuant", {"f32[N,3]", "f32[]"}) == "f32[N,3]");
}
