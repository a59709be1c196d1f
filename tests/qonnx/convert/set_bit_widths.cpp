#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// y = Quant(x) of 8 bits.
Model quantized(std::vector<float> scales, std::vector<float> zeros, bool is_signed) {
  Builder b(13);
  b.import(qonnx::domain, 1);
  Value& x = b.input("x", DType::f32, {1, 2});
  const auto parameter = [&](std::vector<float> values, const char* name) -> Value& {
    const Dims dims = values.size() == 1 ? Dims{} : Dims{static_cast<std::int64_t>(values.size())};
    return b.constant(Tensor::of<float>(dims, values), name);
  };
  b.output(b.op(std::string(qonnx::domain) + "::Quant",
                {&x, &parameter(scales, "s"), &parameter(zeros, "z"), &parameter({8}, "bits")},
                {{"signed", is_signed ? 1 : 0}, {"narrow", 0}}),
           "y");
  return b.build();
}

qonnx::Quantizer only_quantizer(Model& model) {
  std::optional<qonnx::Quantizer> found;
  for (const Node& node : model.graph().nodes())
    if (qonnx::is_quant(node)) found = qonnx::quantizer_of(node);
  return found.value();
}

}  // namespace

TEST_CASE("fewer bits span what the old ones did, symmetrically", "[qonnx]") {
  Model model = quantized({0.5F, 2}, {0}, true);
  CHECK(qonnx::set_bit_widths({{"x", 4}}).run(model).changes == 1);
  const qonnx::Quantizer q = only_quantizer(model);
  CHECK(q.bits.item<float>() == 4);
  CHECK(q.scale.to<float>()[0] * 7 == Approx(0.5 * 127));
  CHECK(q.scale.to<float>()[1] * 7 == Approx(2.0 * 127));
}

TEST_CASE("zero points move with the bits", "[qonnx]") {
  Model model = quantized({0.1F}, {51}, false);
  qonnx::set_bit_widths({{".*", 8}, {"y", 4}}).run(model);
  const qonnx::Quantizer q = only_quantizer(model);
  CHECK(q.scale.item<float>() * 15 == Approx(0.1 * 255));
  CHECK(q.zero_point.item<float>() == 3);  // 51 of 255 steps are 3 of 15
}

TEST_CASE("each channel spans what it did", "[qonnx]") {
  Model model = quantized({0.1F, 0.2F}, {51, 102}, false);
  qonnx::set_bit_widths({{"x", 4}}).run(model);
  const qonnx::Quantizer q = only_quantizer(model);
  CHECK(q.scale.to<float>()[0] * 15 == Approx(0.1 * 255));
  CHECK(q.scale.to<float>()[1] * 15 == Approx(0.2 * 255));
  CHECK(q.zero_point.to<float>() == std::vector<float>{3, 6});
}

TEST_CASE("what has no parameters for each element of x stays", "[qonnx]") {
  const auto why = [](const std::string& x, const std::string& parameters) {
    return given("x: " + x + "; y = qonnx.custom_op.general::Quant(x, " + parameters + ", f32[] 8) {signed=0}")
        .pass(qonnx::set_bit_widths({{"x", 4}}));
  };
  CHECK(why("f32[2,2]", "f32[2] {1, 2}, f32[2,1] {1, 2}").refuses("different axes"));
  CHECK(why("f32[2,0]", "f32[] 1, f32[0] 0").refuses("empty"));
}

TEST_CASE("what matches no Quant is noted, and the width it has stays", "[qonnx]") {
  Model model = quantized({0.1F}, {0}, false);
  const Report report = qonnx::set_bit_widths({{"x", 8}, {"elsewhere", 4}}).run(model);
  CHECK(report.changes == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::Contains("elsewhere"));
}

TEST_CASE("one signed bit has no integer above 0, and is refused", "[qonnx]") {
  Model model = quantized({0.1F}, {0}, true);
  Context context;
  context.refusals = true;
  const Report report = qonnx::set_bit_widths({{"x", 1}}).run(model, context);
  REQUIRE(report.refusals.size() == 1);
  CHECK_THAT(report.refusals[0].why, Catch::Contains("no integer is above 0"));
  CHECK_THROWS_WITH(qonnx::set_bit_widths({{"x", 0.5F}}), Catch::Contains("between 1 and 32"));
}
