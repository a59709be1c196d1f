#include <graft/quantize/kernel/integer_form.hpp>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("operators on integers are distinguished from those between quantizers", "[quantize]") {
  const Model model = graph(
      "opset com.microsoft 1; x: f32[2,2]; q, s, z = DynamicQuantizeLinear(x); "
      "p = MatMulInteger(q, q, z, z); u = com.microsoft::QLinearSigmoid(q, s, z, s, z); "
      "v = com.microsoft::QLinearSigmoid(u, s, z, s, z); d = DequantizeLinear(v, s, z); y = MatMul(d, d); "
      "return p, y");
  using Counts = std::map<std::string, std::size_t>;
  CHECK(count_integer_forms(model.graph()) ==
        Counts{{"DynamicQuantizeLinear", 1}, {"MatMulInteger", 1}, {"QLinearSigmoid", 2}});
  const Model own = graph("opset mine 1; x: f32[2]; y = mine::QLinearConv(x)");
  CHECK(count_integer_forms(own.graph()).empty());
}
