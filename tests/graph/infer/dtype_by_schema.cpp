#include <graft/graph/infer/dtype_by_schema.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

using namespace graft;

namespace {

DType output_dtype(std::string_view op, std::initializer_list<DType> inputs, std::size_t output = 0, int opset = 17) {
  Builder build(opset);
  std::vector<Value*> values;
  for (const DType dtype : inputs) {
    const std::string name = "i" + std::to_string(values.size());
    values.push_back(dtype == DType::undefined ? &build.graph().add_input(name, {}) : &build.input(name, dtype));
  }
  const Node& node = build.graph().insert(op, values, output + 1);
  return infer::dtype_by_schema(node, *infer::lenient_schema(node), output);
}

}  // namespace

TEST_CASE("the dtype of an output is that of an input in its type group") {
  CHECK(output_dtype("Relu", {DType::f16}) == DType::f16);
  CHECK(output_dtype("Where", {DType::boolean, DType::i32, DType::i32}) == DType::i32);
  CHECK(output_dtype("Add", {DType::undefined, DType::f64}) == DType::f64);
  CHECK(output_dtype("Add", {DType::undefined, DType::undefined}) == DType::undefined);
  CHECK(output_dtype("LSTM", {DType::f16, DType::undefined}, 2) == DType::f16);
}

TEST_CASE("or the only one that there may be") {
  CHECK(output_dtype("Equal", {DType::f16, DType::f16}) == DType::boolean);
  CHECK(output_dtype("Shape", {DType::f16}) == DType::i64);
  CHECK(output_dtype("MaxPool", {DType::f32}, 1) == DType::i64);
  CHECK(output_dtype("Cast", {DType::f32}) == DType::undefined);
}

TEST_CASE("an operator that the opset is too old for has the schema of the newest") {
  CHECK(output_dtype("LayerNormalization", {DType::f16, DType::f16}, 0, 9) == DType::f16);
}
