#include <graft/qonnx/convert/detail/check_quantizer.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a quantizer is checked whatever was found before", "[qonnx]") {
  const auto quantizer = [](const std::string& bits) {
    return graph("x: f32[2]; y = qonnx.custom_op.general::Quant(x, f32[] 0.5, f32[] 0, " + bits + ")");
  };
  const Model good = quantizer("f32[] 8"), integer = quantizer("i32[] 8");
  std::string why = "another one is wrong";
  CHECK(qonnx::detail::check_float_quantizer(*good.graph().first_node(), why));
  CHECK_FALSE(qonnx::detail::check_float_quantizer(*integer.graph().first_node(), why));
  CHECK(why != "another one is wrong");
}
