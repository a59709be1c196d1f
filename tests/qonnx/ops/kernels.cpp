#include "qonnx/ops/run_qonnx.hpp"

#include <string>

#include <catch2/catch.hpp>

#include <graft/qonnx/ops/operators.hpp>

using namespace graft;

TEST_CASE("each spelling of the domain runs, imported or not", "[qonnx]") {
  for (const std::string_view domain : qonnx::domains) {
    for (const std::string name : {"Quant", "IntQuant"}) {
      const std::string op = std::string(domain) + "::" + name;
      for (const int opset : {0, 1, 2}) {
        const Tensor y = run_qonnx(op, {vector_of({0.6F, 300}), number(1), number(0), number(8)}, {}, opset);
        CHECK(numbers(y) == std::vector<float>{1, 127});
      }
    }
  }
}

TEST_CASE("the operators of ONNX are there too", "[qonnx]") {
  CHECK(qonnx::kernels().find("", "Conv", 13) != nullptr);
  CHECK(qonnx::kernels().find("onnx.brevitas", "Conv", 13) == nullptr);
}
