#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

using namespace graft;

namespace {

Model relu_of(Attributes attributes) {
  Builder b(13);
  b.import("onnx.brevitas", 1);
  Value& x = b.input("x", DType::f32, {2, 3});
  Value& quantized = b.op("onnx.brevitas::Quant",
                          {&x, &b.constant(Tensor::of<float>({3}, {1, 2, 4}), "scale"),
                           &b.constant(Tensor::scalar(0.0F), "zero"), &b.constant(Tensor::scalar(4.0F), "bits")},
                          std::move(attributes));
  b.output(b.op("Relu", {&quantized}), "y");
  return b.build();
}

}  // namespace

TEST_CASE("a Quant with constant parameters says how it quantizes", "[qonnx]") {
  Model model = relu_of({{"signed", 0}, {"narrow", 1}, {"rounding_mode", "floor"}});
  const auto q = qonnx::quantizer_of(*model.graph().first_node());
  REQUIRE(q);
  CHECK(q->scale.size() == 3);
  CHECK(q->bits.data<float>()[0] == 4);
  CHECK_FALSE(q->is_signed);
  CHECK(q->is_narrow);
  CHECK(q->rounding == qonnx::RoundingMode::floor);
}

TEST_CASE("a mode that does not exist is an error that names it", "[qonnx]") {
  Model model = relu_of({{"rounding_mode", "NEAREST"}});
  CHECK_THROWS_WITH(qonnx::quantizer_of(*model.graph().first_node()), Catch::Contains("NEAREST"));
}

TEST_CASE("insert_quant writes what quantizer_of reads, and imports the domain", "[qonnx]") {
  Builder b(13);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("Relu", {&x}), "y");
  Model model = b.build();
  Graph& graph = model.graph();
  const qonnx::Quantizer q{Tensor::scalar(0.5F), Tensor::scalar(0.0F), Tensor::scalar(2.0F), true, true,
                           qonnx::RoundingMode::ceil};
  Value& quantized = qonnx::insert_quant(*graph.find("x"), q, graph.first_node());
  REQUIRE(graph.set_input(*graph.last_node(), 0, &quantized));

  const auto read = qonnx::quantizer_of(*quantized.producer());
  REQUIRE(read);
  CHECK(read->is_narrow);
  CHECK(read->rounding == qonnx::RoundingMode::ceil);
  CHECK(read->scale.data<float>()[0] == 0.5F);
  CHECK(model.opset(qonnx::domain) == 1);
}

TEST_CASE("insert_quant refuses a local function that does not import the domain", "[qonnx]") {
  Model model = relu_of({});
  onnx::FunctionProto function;
  function.set_domain("mine");
  function.set_name("f");
  function.add_input("v");
  function.add_output("w");
  onnx::NodeProto& relu = *function.add_node();
  relu.set_op_type("Relu");
  relu.add_input("v");
  relu.add_output("w");
  function.add_opset_import()->set_version(13);
  Graph& scope = model.add_function(function);
  const Tensor one = Tensor::scalar(1.0F);
  CHECK_THROWS_WITH(qonnx::insert_quant(*scope.find("v"), {one, one, one}, nullptr),
                    Catch::Contains("does not import qonnx.custom_op.general"));
  CHECK(model.opset(qonnx::domain) == 0);
}
