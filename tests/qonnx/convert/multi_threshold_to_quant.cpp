#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include <graft/qonnx/convert/multi_threshold_to_quant.hpp>
#include <graft/qonnx/convert/quant_to_multi_threshold.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr std::string_view domain = "qonnx.custom_op.general::";

std::string quant(std::string_view scale, int bits, bool is_signed, bool is_narrow, std::string_view mode,
                  std::string_view zero = "0") {
  return "x: f32[1,2,3,3]; y = " + std::string(domain) + "Quant(x, f32" + std::string(scale) + ", f32[] " +
         std::string(zero) + ", f32[] " + std::to_string(bits) + ") {signed=" + (is_signed ? "1" : "0") +
         ", narrow=" + (is_narrow ? "1" : "0") + ", rounding_mode=\"" + std::string(mode) + "\"}";
}

Trial back(const std::string& text) { return given(text).pass(qonnx::multi_threshold_to_quant()); }

std::string thresholds(const std::string& rows, const std::string& attributes) {
  return "x: f32[1,2,3,3]; y = " + std::string(domain) + "MultiThreshold(x, f32" + rows + ") {" + attributes + "}";
}

}  // namespace

TEST_CASE("a Quant comes back from its thresholds", "[qonnx]") {
  const std::string mode = GENERATE("ROUND", "HALF_UP", "HALF_DOWN", "FLOOR", "CEIL");
  for (const std::string_view scale : {"[] 1", "[] 0.1", "[] 0.3", "[2,1,1] {0.1, 0.7}"})
    for (const int bits : {2, 3, 4})
      for (const bool is_signed : {false, true})
        for (const bool is_narrow : {false, true}) {
          const std::string text = quant(scale, bits, is_signed, is_narrow, mode);
          CAPTURE(text);
          if (mode == "HALF_DOWN" && bits == 2 && is_signed && is_narrow) continue;  // ROUND has the same two ties
          CHECK(given(text)
                    .pass(qonnx::quant_to_multi_threshold() | qonnx::multi_threshold_to_quant())
                    .becomes(text));
        }
}

TEST_CASE("zero points and signs come back too", "[qonnx]") {
  const Pass there_and_back = qonnx::quant_to_multi_threshold() | qonnx::multi_threshold_to_quant();
  CHECK(given(quant("[] 0.3", 3, true, false, "ROUND", "1")).pass(there_and_back).becomes(
      quant("[] 0.3", 3, true, false, "ROUND", "1")));
  const std::string sign = "x: f32[1,2]; y = " + std::string(domain) + "BipolarQuant(x, f32[] 0.3)";
  CHECK(given(sign).pass(there_and_back).becomes(sign));
}

TEST_CASE("thresholds of a Relu are those of the unsigned Quant", "[qonnx]") {
  const std::string unsigned_quant = quant("[] 0.5", 3, false, false, "ROUND");
  std::string behind_relu = quant("[] 0.5", 4, true, false, "ROUND");
  behind_relu.replace(behind_relu.find("Quant(x"), 7, "Quant(Relu(x)");
  CHECK(given(behind_relu)
            .pass(qonnx::quant_to_multi_threshold() | qonnx::multi_threshold_to_quant())
            .becomes(unsigned_quant));
}

TEST_CASE("multi_threshold_to_quant refuses thresholds of no Quant", "[qonnx]") {
  CHECK(back(thresholds("[1,3] {0.5, 1.5, 2.5}", "out_scale=1.0, out_bias=0.0"))
            .refuses("are ties"));  // at 0.5 and 2.5 ROUND goes down, at 1.5 HALF_DOWN does
  CHECK(back(thresholds("[1,3] {0.5, 1.5, 2.6}", "out_scale=1.0, out_bias=0.0")).refuses("no Quant"));
  CHECK(back(thresholds("[1,3] {1, 2, 3}", "out_scale=2.0, out_bias=0.0")).refuses("no Quant"));
  CHECK(back(thresholds("[2,3] {1, 2, 3, 1, 2, 4}", "out_scale=1.0, out_bias=0.0")).refuses("no Quant"));
  CHECK(back(thresholds("[1,4] {1, 2, 3, 4}", "out_scale=1.0, out_bias=0.0")).refuses("no Quant"));
  CHECK(back(thresholds("[1,3] {1, 2, 3}", "out_scale=0.0, out_bias=0.0")).refuses("positive"));
  CHECK(back("x: f32[1,2]; t: f32[1,3]; y = " + std::string(domain) + "MultiThreshold(x, t)").refuses("constant"));
}

TEST_CASE("thresholds between integers become a Quant of ROUND where any ties are taken", "[qonnx]") {
  const auto taken = [](const std::string& text) {
    return given(text).pass(qonnx::multi_threshold_to_quant({.any_ties = true}));
  };
  const std::string unscaled = thresholds("[1,3] {0.5, 1.5, 2.5}", "out_scale=1.0, out_bias=0.0");
  CHECK(taken(unscaled).becomes(quant("[] 1", 2, false, false, "ROUND")));
  CHECK_FALSE(isomorphic(graph(unscaled), graph(quant("[] 1", 2, false, false, "ROUND"))));
  CHECK(taken(thresholds("[1,3] {0.5, 1.50000012, 2.49999976}", "out_scale=1.0, out_bias=0.0"))
            .becomes(quant("[] 1", 2, false, false, "ROUND")));
  CHECK(taken(thresholds("[1,3] {0.5, 1.500001, 2.5}", "out_scale=1.0, out_bias=0.0")).refuses("no Quant"));
  CHECK(taken(thresholds("[1,3] {-0.75, -0.25, 0.25}", "out_scale=0.5, out_bias=-1.0"))
            .becomes(quant("[] 0.5", 2, true, false, "ROUND")));
  CHECK(taken(thresholds("[2,2] {-0.25, 0.25, -0.5, 0.5}", "out_scale=1.0, out_bias=-1.0") +
              "; z = Mul(y, f32[2,1,1] {0.5, 1})")
            .becomes("x: f32[1,2,3,3]; z = " + std::string(domain) +
                     "Quant(x, f32[2,1,1] {0.5, 1}, f32[] 0, f32[] 2) {signed=1, narrow=1, rounding_mode=\"ROUND\"}"));
  Model model = graph(unscaled);
  const Report report = qonnx::multi_threshold_to_quant({.any_ties = true}).run(model);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("ROUND takes its thresholds") != std::string::npos);
}

TEST_CASE("what any_ties would convert is refused with a code of its own", "[qonnx]") {
  Model model = graph(thresholds("[1,3] {0.5, 1.5, 2.5}", "out_scale=1.0, out_bias=0.0"));
  Context context;
  context.refusals = true;
  const Report report = qonnx::multi_threshold_to_quant().run(model, context);
  REQUIRE(report.refusals.size() == 1);
  CHECK(report.refusals[0].code == qonnx::thresholds_are_ties);
}

TEST_CASE("thresholds that ROUND has exactly are not ties to note", "[qonnx]") {
  Model model = graph(quant("[] 0.3", 3, true, false, "ROUND"));
  const qonnx::MultiThresholdToQuantOptions any{.any_ties = true};
  CHECK((qonnx::quant_to_multi_threshold() | qonnx::multi_threshold_to_quant(any)).run(model).notes.empty());
}

TEST_CASE("thresholds of whole steps are those of FLOOR", "[qonnx]") {
  CHECK(back(thresholds("[1,3] {1, 2, 3}", "out_scale=1.0, out_bias=0.0"))
            .becomes(quant("[] 1", 2, false, false, "FLOOR")));
  CHECK(back(thresholds("[2,3] {1, 2, 3, 1, 2, 3}", "out_scale=1.0, out_bias=-2.0"))
            .refuses("no Quant"));  // signed ones begin at -1
}

TEST_CASE("a threshold of 0 is that of BipolarQuant, whatever the scale", "[qonnx]") {
  CHECK(back(thresholds("[1,1] 0", "out_scale=4.0, out_bias=-2.0"))
            .becomes("x: f32[1,2,3,3]; y = " + std::string(domain) + "BipolarQuant(x, f32[] 2)"));
}

TEST_CASE("a Mul by nothing stays", "[qonnx]") {
  const std::string head = "x: f32[1,0]; y = " + std::string(domain), mul = "; z = Mul(y, f32[0] 0)";
  CHECK(back(head + "MultiThreshold(x, f32[1,1] 0) {out_scale=2.0, out_bias=-1.0}" + mul)
            .becomes(head + "BipolarQuant(x, f32[] 1)" + mul));
}

TEST_CASE("a Mul by other scales stays", "[qonnx]") {
  const std::string mul = "; z = Mul(y, f32[] 3)";
  CHECK(back(thresholds("[1,3] {1, 2, 3}", "out_scale=1.0, out_bias=0.0") + mul)
            .becomes(quant("[] 1", 2, false, false, "FLOOR") + mul));
}
