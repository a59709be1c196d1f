#include <graft/qonnx/convert/zero_points.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/testing.hpp>

#include "quants.hpp"

using namespace graft;
using qonnx::ZeroPoints;

namespace {

/// The reason, "noted" or "exact".
std::string outcome(const std::string& text, const Pass& pass) {
  Model model = graph(text);
  Context context;
  context.refusals = true;
  const Report report = pass.run(model, context);
  if (report.changes == 0) return report.refusals.at(0).why;
  return report.notes.empty() ? "exact" : "noted";
}

std::string to_qcdq(int zero_point, ZeroPoints taken) {
  const QuantText quant{.zero_point = "f32[] " + std::to_string(zero_point)};
  return outcome(quant.text(), qonnx::quant_to_qcdq({.zero_points = taken}));
}

std::string to_quant(int zero_point, ZeroPoints taken) {
  return outcome("x: f32[2]; s = f32[] 0.5; z = i8[] " + std::to_string(zero_point) +
                     "; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
                 qonnx::qdq_to_quant({.zero_points = taken}));
}

}  // namespace

TEST_CASE("zero points are taken as the options say, and noted", "[qonnx][zero_points]") {
  for (const auto convert : {to_qcdq, to_quant}) {
    for (const ZeroPoints taken : {ZeroPoints::zero, ZeroPoints::even, ZeroPoints::any})
      CHECK(convert(0, taken) == "exact");
    CHECK_THAT(convert(2, ZeroPoints::zero), Catch::Contains("zero point 2 is not 0"));
    CHECK(convert(2, ZeroPoints::even) == "noted");
    CHECK(convert(-2, ZeroPoints::any) == "noted");
    CHECK_THAT(convert(-3, ZeroPoints::zero), Catch::Contains("zero point -3 is odd"));
    CHECK_THAT(convert(-3, ZeroPoints::even), Catch::Contains("zero point -3 is odd"));
    CHECK(convert(-3, ZeroPoints::any) == "noted");
  }
}
