#include <graft/quantize/kernel/quantizable.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("a Conv of floats with a constant weight is quantizable", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  CHECK(quantizable(*y.producer(), targets::ort_cpu_x64));
  CHECK(integer_kernel(*y.producer(), targets::ort_cpu_x64)->op == "Conv");
  CHECK(integer_kernel(*net.op("Relu", {&y}, "relu").producer(), targets::ort_cpu_x64) == nullptr);
}

TEST_CASE("the reason why a Conv is not quantizable", "[quantize]") {
  Net net;
  Value& input = net.builder.input("given", DType::f32, {2, 2, 1, 1});
  CHECK(quantizable(*net.op("Conv", {net.x, &input}, "dynamic").producer(), targets::ort_cpu_x64).reason().text ==
        "its weight is not constant");
  Value& constant = net.constant("constant", std::vector<float>(32), {1, 2, 4, 4});
  CHECK(quantizable(*net.op("Conv", {&constant, &net.weight()}, "folded").producer(), targets::ort_cpu_x64)
            .reason()
            .text == "its input is constant");
  Value& half = net.builder.input("half", DType::f16, {1, 2, 4, 4});
  CHECK(
      quantizable(*net.op("Conv", {&half, &net.weight("w2")}, "f16").producer(), targets::ort_cpu_x64).reason().text ==
      "it is not float32");
}

TEST_CASE("a bias must be constant where the target needs it in int32", "[quantize]") {
  Net net;
  Value& bias = net.builder.input("given", DType::f32, {2});
  const Node& node = *net.op("Conv", {net.x, &net.weight(), &bias}, "y").producer();
  CHECK_FALSE(quantizable(node, targets::ort_cpu_x64));
  CHECK(quantizable(node, targets::onednn));
}

TEST_CASE("a weight that the caller may override is constant below IR version 4 only", "[quantize]") {
  for (const int ir_version : {3, 4}) {
    Net net;
    Value& y = net.conv(*net.x);
    onnx::ModelProto proto = net.build({&y}).proto();
    proto.set_ir_version(ir_version);
    onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
    input.set_name("y_w");
    *input.mutable_type() = tensor_type(DType::f32);
    const Model model(std::move(proto));
    const Verdict verdict = quantizable(node_making(model, "y"), targets::ort_cpu_x64);
    CHECK(static_cast<bool>(verdict) == (ir_version < 4));
    if (!verdict) CHECK(verdict.reason().text == "its weight is an initializer that callers may override");
  }
}

TEST_CASE("what was quantized otherwise than a kernel takes it is left as it is", "[quantize]") {
  const auto reason = [](const char* op, const Dims& scales, DType dtype, const Attributes& attributes = {}) {
    Net net;
    const auto count = static_cast<std::size_t>(element_count(scales));
    Value& integers = net.builder.input("integers", dtype, {1, 2, 4, 4});
    Value& scale = net.constant("scale", std::vector<float>(count, 0.1f), scales);
    Value& x = net.op("DequantizeLinear", {&integers, &scale}, "dequantized");
    const Node& node = *net.builder
                            .op(op,
                                std::string_view(op) == "Add" ? std::initializer_list<Value*>{&x, &x}
                                                              : std::initializer_list<Value*>{&x},
                                attributes)
                            .producer();
    const Verdict verdict = quantizable(node, targets::ort_cpu_x64);
    return verdict ? std::string() : std::string(verdict.reason().code);
  };
  const Attributes perm{{"perm", Ints{0, 1, 3, 2}}};
  CHECK(reason("Transpose", {}, DType::u8, perm).empty());
  CHECK(reason("Transpose", {2}, DType::u8, perm) == "per_axis_input");
  CHECK(reason("Transpose", {}, DType::i32, perm) == "qparams");
  CHECK(reason("Add", {}, DType::u8).empty());
  CHECK(reason("Add", {1}, DType::u8) == "scale_rank");
  CHECK(reason("Sigmoid", {1}, DType::u8).empty());
}

TEST_CASE("an operator without results is not quantizable, and below its first version neither", "[quantize]") {
  onnx::ModelProto proto;
  proto.add_opset_import()->set_version(11);
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.add_input()->set_name("x");
  *graph.mutable_input(0)->mutable_type() = tensor_type(DType::f32, Shape(Dims{1, 2, 4, 4}));
  for (const char* const op : {"Sigmoid", "ReduceMax"}) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.add_input("x");
  }
  graph.mutable_node(1)->add_output("y");
  const Model model(std::move(proto));
  CHECK(quantizable(*model.graph().first_node(), targets::ort_cpu_x64).reason().text == "it has no result");
  CHECK(quantizable(*model.graph().last_node(), targets::ort_cpu_x64).reason().code == "opset");
}
