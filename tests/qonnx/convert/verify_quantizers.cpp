#include <graft/qonnx/convert/verify_quantizers.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string problem(const std::string& node) {
  Model model = graph("x: f32[2,3,4,4]; y = qonnx.custom_op.general::" + node);
  const std::vector<Problem> problems = qonnx::verify_quantizers(model.graph());
  return problems.empty() ? "" : problems.at(0).text;
}

}  // namespace

TEST_CASE("verify_quantizers names what cannot be computed", "[qonnx]") {
  CHECK(problem("Quant(x, f32[3,1,1] 1, f32[] 0, f32[] 4)") == "");
  CHECK(problem("FloatQuant(x, f32[] 1, f32[] 4, f32[] 3, f32[] 7, f32[] 240)") == "");
  CHECK(problem("DebugMarker(x)") == "");
  const auto says = [](const std::string& node, std::string_view what) {
    CHECK_THAT(problem(node), Catch::Contains(std::string(what)));
  };
  says("Quant(x, f32[5] 1, f32[] 0, f32[] 4)", "does not broadcast");
  says("Quant(x, f32[] 0, f32[] 0, f32[] 4)", "not positive");
  says("BipolarQuant(x, f32[] -1)", "not positive");
  says("Quant(x, f32[] 1, f32[] 0, f32[] -3)", "no bit width");
  says("Quant(x, f32[] 1, f32[] 0, f32[] 4) {rounding_mode=\"NEAREST\"}", "only ROUND (HALF_EVEN), HALF_UP");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 0.5)", "0.5 bits are no bit width");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 4, f32[] 4) {rounding_mode=\"NEAREST\"}", "only ROUND");
  says("Trunc(x, f32[] 1, f32[] 0, f32[] 8)", "too many or too few");
  says("FloatQuant(x, f32[] 0, f32[] 4, f32[] 3, f32[] 7, f32[] 240)", "not positive");
  says("FloatQuant(x, f32[] 1, f32[] -4, f32[] 3, f32[] 7, f32[] 240)", "no exponent bit width");
  says("Quantt(x, f32[] 1, f32[] 0, f32[] 4)", "no operator Quantt");
}
