#include <graft/graph/infer/create.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;
using graft::Floats;
using graft::Ints;
using graft::Tensor;

TEST_CASE("Constant in each of its forms") {
  CHECK(told("Constant", {}, {{"value", Tensor(DType::f16, {2, 3})}}) == "f16[2,3]");
  CHECK(told("Constant", {}, {{"value_int", 3}}) == "i64[]");
  CHECK(told("Constant", {}, {{"value_ints", Ints{3, 4}}}) == "i64[2]");
  CHECK(told("Constant", {}, {{"value_float", 3.0f}}) == "f32[]");
  CHECK(told("Constant", {}, {{"value_floats", Floats{3, 4}}}) == "f32[2]");
  CHECK(told("Constant", {}, {{"value_string", "a"}}) == "string[]");
  CHECK(contents("Constant", {}, {{"value_ints", Ints{3, 4}}}) == "[3,4]");
  CHECK(contents("Constant", {}, {{"value", Tensor::of<std::int32_t>({1}, {-2})}}) == "[-2]");
  CHECK(contents("Constant", {}, {{"value_floats", Floats{3, 4}}}) == "?");
}

TEST_CASE("a sparse constant is as large as its dense form") {
  onnx::AttributeProto attribute;
  attribute.set_type(onnx::AttributeProto::SPARSE_TENSOR);
  attribute.mutable_sparse_tensor()->mutable_values()->set_data_type(1);
  attribute.mutable_sparse_tensor()->add_dims(4);
  attribute.mutable_sparse_tensor()->add_dims(5);
  CHECK(told("Constant", {}, {graft::Attribute("sparse_value", attribute)}) == "f32[4,5]");
}

TEST_CASE("ConstantOfShape") {
  CHECK(told("ConstantOfShape", {{2, 3}}) == "f32[2,3]");
  CHECK(told("ConstantOfShape", {{2, 3}}, {{"value", Tensor::of<std::int64_t>({1}, {1})}}) == "i64[2,3]");
  CHECK(told("ConstantOfShape", {"i64[2]"}) == "f32[?,?]");
  CHECK(told("ConstantOfShape", {"i64[N]"}) == "f32");
  CHECK(contents("ConstantOfShape", {{3}}, {{"value", Tensor::of<std::int64_t>({1}, {4})}}) == "[4,4,4]");
  CHECK(contents("ConstantOfShape", {{3}}) == "?");
  CHECK(contents("ConstantOfShape", {{1 << 20, 1 << 20, 1 << 30}}, {{"value", Tensor::of<std::int64_t>({1}, {4})}}) ==
        "?");
}

TEST_CASE("Shape and Size") {
  CHECK(told("Shape", {"f32[2,N,?]"}) == "i64[3]");
  CHECK(told("Shape", {"f32"}) == "i64[?]");
  CHECK(told("Shape", {"f32[2,3,4]"}, {{"start", 1}}) == "i64[2]");
  CHECK(told("Size", {"f32"}) == "i64[]");
  CHECK(contents("Shape", {"f32[2,N,?]"}) == "[2,N,?]");
  CHECK(contents("Shape", {"f32[2,N,4]"}, {{"start", -2}}) == "[N,4]");
  CHECK(contents("Shape", {"f32[2,N,4]"}, {{"start", 1}, {"end", -1}}) == "[N]");
  CHECK(contents("Shape", {"f32[2,N,4]"}, {{"start", 2}, {"end", 1}}) == "[]");
  CHECK(contents("Shape", {"f32"}) == "?");
  CHECK(contents("Size", {"f32[2,3]"}) == "6");
  CHECK(contents("Size", {"f32[1,N]"}) == "N");
  CHECK(contents("Size", {"f32[2,N]"}) == "?");
  CHECK(contents("Size", {"f32[0,N]"}) == "0");
}

TEST_CASE("Range") {
  CHECK(told("Range", {scalar(0), scalar(10), scalar(3)}) == "i64[4]");
  CHECK(told("Range", {scalar(10), scalar(0), scalar(-4)}) == "i64[3]");
  CHECK(told("Range", {scalar(0), scalar(10), scalar(-1)}) == "i64[0]");
  CHECK(told("Range", {scalar(0), "i64[]", scalar(1)}) == "i64[?]");
  CHECK(told("Range", {scalar(0), scalar(1), scalar(0)}) == "no: delta is 0");
  CHECK(told("Range", {Tensor::scalar(0.0f), Tensor::scalar(1.0f), Tensor::scalar(0.3f)}) == "f32[4]");
  CHECK(contents("Range", {scalar(0), scalar(10), scalar(3)}) == "[0,3,6,9]");
  CHECK(contents("Range", {scalar(3), scalar(0), scalar(-2)}) == "[3,1]");
  CHECK(contents("Range", {scalar(0), scalar(1000000000000), scalar(1)}) == "?");
}

TEST_CASE("random tensors") {
  CHECK(told("RandomNormal", {}, {{"shape", Ints{2, 3}}}) == "f32[2,3]");
  CHECK(told("RandomUniform", {}, {{"shape", Ints{2}}, {"dtype", DType::f16}}) == "f16[2]");
  CHECK(told("RandomNormal", {}) == "no: shape is missing");
  CHECK(told("Multinomial", {"f32[N,3]"}, {{"sample_size", 5}}) == "i32[N,5]");
}
