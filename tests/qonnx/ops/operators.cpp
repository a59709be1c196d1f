#include <string>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/operators.hpp>

using namespace graft;

TEST_CASE("a local function of an operator's name is none", "[qonnx]") {
  Builder b(13);
  b.import(qonnx::domain, 1);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("qonnx.custom_op.general::Quant", {&x, &x, &x, &x}), "y");
  Model model = b.build();
  const Node& node = *model.graph().first_node();
  CHECK(qonnx::is_quant(node));
  onnx::FunctionProto function;
  function.set_domain(std::string(qonnx::domain));
  function.set_name("Quant");
  model.add_function(function);
  CHECK_FALSE(qonnx::is_quant(node));
  CHECK_FALSE(qonnx::is_quantizer(node));
  CHECK(qonnx::calls_function(node));
}

TEST_CASE("operators of QONNX are known in every spelling of their domain", "[qonnx]") {
  Builder b(13);
  Value& x = b.input("x", DType::f32, {2});
  Value& scale = b.constant(Tensor::scalar(1.0F), "scale");
  for (const char* const domain : {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general", "mine"})
    b.import(domain, 1);
  const auto node = [&](const char* op) -> const Node& { return *b.op(op, {&x, &scale, &scale, &scale}).producer(); };

  CHECK(qonnx::is_quant(node("qonnx.custom_op.general::Quant")));
  CHECK(qonnx::is_quant(node("qonnx.custom_op.general::IntQuant")));
  CHECK(qonnx::is_quant(node("onnx.brevitas::Quant")));
  CHECK(qonnx::is_quant(node("finn.custom_op.general::Quant")));
  CHECK_FALSE(qonnx::is_quant(node("mine::Quant")));
  CHECK_FALSE(qonnx::is_quant(node("onnx.brevitas::BipolarQuant")));
  CHECK(qonnx::is_bipolar_quant(node("onnx.brevitas::BipolarQuant")));
  CHECK(qonnx::is_quantizer(node("qonnx.custom_op.general::Trunc")));
  CHECK_FALSE(qonnx::is_quantizer(node("Relu")));
}
