#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/definitions.hpp>
#include <graft/qonnx/ops/operators.hpp>

using namespace graft;

namespace {

Model quant_of(std::string_view domain, std::vector<std::int64_t> scale_dims) {
  Builder b(13);
  b.import(domain, 1);
  Value& x = b.input("x", DType::f32, {"N", 3, 4});
  Value& quantized = b.op(std::string(domain) + "::Quant",
                          {&x, &b.constant(Tensor(DType::f32, std::move(scale_dims)), "scale"),
                           &b.constant(Tensor::scalar(0.0F), "zero"), &b.constant(Tensor::scalar(4.0F), "bits")});
  b.output(b.op("Relu", {&quantized}), "y");
  return b.build();
}

}  // namespace

TEST_CASE("what a Quant gives is of the type of its input, and what follows is inferred", "[qonnx]") {
  for (const std::string_view domain : qonnx::domains) {
    Model model = quant_of(domain, {3, 1});
    infer_shapes(model.graph(), {.operators = qonnx::operators()});
    CHECK(to_string(model.graph().find("y")->shape()) == "[N,3,4]");
    CHECK(model.graph().first_node()->output().dtype() == DType::f32);
  }
}

TEST_CASE("parameters that would expand the input are reported", "[qonnx]") {
  const auto verdict = [](std::vector<std::int64_t> dims) {
    Model model = quant_of(qonnx::domain, std::move(dims));
    return bool(infer_node(*model.graph().first_node(), {.operators = qonnx::operators()}));
  };
  CHECK(verdict({4}));
  CHECK(verdict({3, 1}));
  CHECK_FALSE(verdict({1, 1, 1, 1}));
  CHECK_FALSE(verdict({2, 1}));
}

TEST_CASE("pools, convolutions and windows that have their channels last are inferred", "[qonnx]") {
  using Inputs = std::vector<std::vector<Dim>>;
  const auto shape = [](std::string_view op, const Inputs& inputs, const Attributes& attributes) {
    Builder b(13);
    b.import(OpName::parse(op).domain, OpName::parse(op).domain == qonnx::channels_last_domain ? 13 : 1);
    std::vector<Value*> values;
    for (const auto& dims : inputs)
      values.push_back(&b.input("x" + std::to_string(values.size()), DType::f32, dims));
    Node& node = b.graph().insert(op, values, 1, attributes);
    b.output(*node.output(0), "y");
    Model model = b.build();
    const Verdict verdict = infer_node(*model.graph().first_node(), {.operators = qonnx::operators()});
    return verdict ? to_string(model.graph().find("y")->shape()) : "no";
  };
  const Attributes window{{"kernel_shape", {3, 2}}, {"strides", {2, 1}}, {"pads", {1, 0, 1, 0}}};
  CHECK(shape("qonnx.custom_op.channels_last::Conv", {{"N", 9, 8, 4}, {6, 3, 2, 4}}, window) == "[N,5,7,6]");
  CHECK(shape("qonnx.custom_op.channels_last::Conv", {{"N", 9, 8, 5}, {6, 3, 2, 4}}, window) == "no");
  CHECK(shape("qonnx.custom_op.channels_last::MaxPool", {{"N", 9, 8, 4}}, window) == "[N,5,7,4]");
  CHECK(shape("finn.custom_op.general::MaxPoolNHWC", {{"N", 9, 8, 4}}, window) == "[N,5,7,4]");
  CHECK(shape("qonnx.custom_op.channels_last::BatchNormalization", {{"N", 9, 4}, {4}, {4}, {4}, {4}}, {}) == "[N,9,4]");
  const Attributes pool{{"kernel", 3}, {"stride", 2}, {"ibits", 4}, {"obits", 4}};
  CHECK(shape("qonnx.custom_op.general::QuantAvgPool2d", {{"N", 4, 9, 8}}, pool) == "[N,4,4,3]");
  CHECK(shape("qonnx.custom_op.general::QuantAvgPool2d", {{"N", 4, 2, 8}}, pool) == "no");
  const Attributes columns{{"kernel_size", {3, 2}}, {"stride", {2, 1}}, {"pad_amount", {1, 0, 1, 0}}};
  CHECK(shape("qonnx.custom_op.general::Im2Col", {{"N", 9, 8, 4}}, columns) == "[N,5,7,24]");
  CHECK(shape("qonnx.custom_op.general::XnorPopcountMatMul", {{"N", 8}, {8, 3}}, {}) == "[N,3]");
}
