#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/shape_functions.hpp>

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
    infer_shapes(model.graph(), {.custom = qonnx::shape_functions()});
    CHECK(to_string(model.graph().find("y")->shape()) == "[N,3,4]");
    CHECK(model.graph().first_node()->output().dtype() == DType::f32);
  }
}

TEST_CASE("parameters that would expand the input are reported", "[qonnx]") {
  const auto verdict = [](std::vector<std::int64_t> dims) {
    Model model = quant_of(qonnx::domain, std::move(dims));
    return bool(infer_node(*model.graph().first_node(), {.custom = qonnx::shape_functions()}));
  };
  CHECK(verdict({4}));
  CHECK(verdict({3, 1}));
  CHECK_FALSE(verdict({1, 1, 1, 1}));
  CHECK_FALSE(verdict({2, 1}));
}
