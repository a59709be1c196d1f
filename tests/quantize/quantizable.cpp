#include <graft/quantize/quantizable.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/targets.hpp>

#include "nets.hpp"

using namespace graft;

TEST_CASE("a Conv of floats with a constant weight is quantizable", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  CHECK(quantizable(*y.producer(), targets::ort_cpu_x64));
  CHECK(integer_kernel(*y.producer(), targets::ort_cpu_x64)->op == "Conv");
  CHECK(integer_kernel(*net.op("Relu", {&y}, "relu").producer(), targets::ort_cpu_x64) == nullptr);
}

TEST_CASE("why a Conv is not quantizable is said", "[quantize]") {
  Net net;
  Value& input = net.builder.input("given", DType::f32, {2, 2, 1, 1});
  CHECK(quantizable(*net.op("Conv", {net.x, &input}, "dynamic").producer(), targets::ort_cpu_x64).reason().text ==
        "its weight or bias is not constant");
  Value& constant = net.constant("constant", std::vector<float>(32), {1, 2, 4, 4});
  CHECK(quantizable(*net.op("Conv", {&constant, &net.weight()}, "folded").producer(), targets::ort_cpu_x64)
            .reason()
            .text == "its input is constant");
  Value& half = net.builder.input("half", DType::f16, {1, 2, 4, 4});
  CHECK(
      quantizable(*net.op("Conv", {&half, &net.weight("w2")}, "f16").producer(), targets::ort_cpu_x64).reason().text ==
      "it is not float32");
}

TEST_CASE("a bias must be constant where the target wants it in int32", "[quantize]") {
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
    if (!verdict) CHECK(verdict.reason().text == "its weight or bias is an input that the caller may override");
  }
}
