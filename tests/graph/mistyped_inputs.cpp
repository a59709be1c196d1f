#include <graft/graph/mistyped_inputs.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

namespace {

/// Which inputs are wrong, and what they should be: "1: f32". For what the operator never takes: "0: ?".
std::string wrong(int opset, std::string_view op, const std::vector<DType>& dtypes) {
  Builder build(opset);
  std::vector<Value*> inputs;
  for (const DType dtype : dtypes) {
    const std::string name = "i" + std::to_string(inputs.size());
    inputs.push_back(dtype == DType::undefined ? nullptr : &build.input(name, dtype, {2}));
  }
  onnx::NodeProto payload;
  payload.set_op_type(std::string(op));
  const Node& node = build.graph().insert(std::move(payload), inputs, 1, nullptr);
  std::string text;
  for (const MistypedInput& input : mistyped_inputs(node)) {
    text += (text.empty() ? "" : ", ") + std::to_string(input.index) + ": ";
    text += input.wanted == DType::undefined ? "?" : std::string(to_string(input.wanted));
  }
  return text;
}

}  // namespace

TEST_CASE("the set of dtypes is that of the version") {
  CHECK(wrong(13, "Relu", {DType::i32}) == "0: ?");
  CHECK(wrong(14, "Relu", {DType::i32}).empty());
  CHECK(wrong(13, "NoSuch", {DType::i32}).empty());
}

TEST_CASE("inputs of one type group are of one dtype") {
  CHECK(wrong(17, "Add", {DType::f32, DType::f16}) == "1: f32");
  CHECK(wrong(17, "Add", {DType::f32, DType::boolean}) == "1: ?");
  CHECK(wrong(17, "Where", {DType::boolean, DType::f32, DType::f32}).empty());
  CHECK(wrong(17, "Clip", {DType::f32, DType::undefined, DType::f64}) == "2: f32");
  CHECK(wrong(17, "Max", {DType::f32, DType::f32, DType::f64}) == "2: f32");
}

TEST_CASE("occurrences of a heterogeneous input go their own ways") {
  CHECK(wrong(17, "Loop", {DType::i64, DType::boolean, DType::f32, DType::i64}).empty());
}
