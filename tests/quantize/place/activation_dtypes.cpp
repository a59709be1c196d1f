#include <graft/quantize/place/activation_dtypes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

Model chain() {
  return graph("opset 21; x: f32[1,2,2,2]; w = f32[2,2,1,1] {1, -2, 0.5, 3}; "
               "a = Conv(x, w); r = Relu(a); b = Conv(r, w); y = Concat(r, b) {axis=1}; return y");
}

const Ranges ranges{{"x", {-1, 1}}, {"a", {-4, 4}}, {"r", {0, 4}}, {"b", {-8, 8}}, {"y", {-8, 8}}};

QParams q(const Model& model, const char* tensor) {
  return *qparams_of(*model.graph().find(tensor)->uses().front().user());
}

Report quantize(Model& model, std::vector<ActivationOverride> overrides, Placement placement) {
  const Target& target = targets::ort_cpu_x64;
  return (with_ranges(ranges) | override_activations(std::move(overrides)) | inject_qdq(target, placement) |
          quantize_weights(Granularity::per_tensor, target))
      .run(model);
}

}  // namespace

TEST_CASE("single tensors are quantized to dtypes of their own", "[quantize]") {
  for (const Placement placement :
       {Placement::naive, Placement::fusion_aware, Placement::conv_only, Placement::all_supported}) {
    Model model = chain();
    const Report report = quantize(model, {{"[xb]", DType::i16}, {"b", DType::u16}, {"none", DType::i8}}, placement);
    CHECK(report.steps[1].changes == 3);
    CHECK(report.steps[1].notes == std::vector<std::string>{"no tensor is called 'none'"});
    CHECK(q(model, "x") == choose_qparams({-1, 1}, DType::i16));
    CHECK(q(model, "b") == choose_qparams({-8, 8}, DType::u16));
    CHECK(q(model, "r") == choose_qparams({0, 4}, DType::u8));
  }
}

TEST_CASE("a tensor of 16 bits keeps what 8 bits lose, and the audit tells that its kernel stays in float",
          "[quantize]") {
  const Feeds feeds{
      {"x", Tensor::of<float>({1, 2, 2, 2}, {0.011f, 0.502f, -0.3333f, 0.9f, -0.007f, 0.25f, 0.77f, -1})}};
  const auto difference = [&](std::vector<ActivationOverride> overrides) {
    const Model original = chain();
    Model model = chain();
    quantize(model, std::move(overrides), Placement::fusion_aware);
    const std::vector<float> wanted = Evaluator(original.graph()).run(feeds)[0].to<float>();
    const std::vector<float> is = Evaluator(model.graph()).run(feeds)[0].to<float>();
    double sum = 0;
    for (std::size_t i = 0; i < is.size(); ++i) sum += std::abs(double{is[i]} - wanted[i]);
    return sum;
  };
  CHECK(difference({{".*", DType::u16}}) < difference({}) / 2);

  Model model = chain();
  quantize(model, {{"x", DType::u16}}, Placement::fusion_aware);
  const Audit found = audit(model.graph(), targets::ort_cpu_x64).of("Conv");
  REQUIRE(found.findings.size() == 2);
  CHECK_FALSE(found.findings[0].fused());
  CHECK(found.findings[0].code == "dtypes");
  CHECK(found.findings[1].fused());
}

TEST_CASE("tensors of 16 bits need opset 21, and other dtypes are refused", "[quantize]") {
  Model model = graph("opset 13; x: f32[1,2,2,2]; y = Relu(x)");
  CHECK_THROWS_WITH(override_activations({{"x", DType::u16}}).run(model), Catch::Contains("opset 21"));
  CHECK(override_activations({{"x", DType::i8}}).run(model).changes == 1);
  CHECK_THROWS_WITH(override_activations({{"x", DType::f32}}),
                    Catch::Contains("int8, uint8, int16, uint16 or f8e4m3fn"));
}

TEST_CASE("tensors of fewer bits have a Clip of their integers", "[quantize]") {
  for (const Placement placement : {Placement::fusion_aware, Placement::all_supported}) {
    Model model = chain();
    const Report report =
        quantize(model, {{".*", {}, 4}, {"x", DType::i8, 3}, {"b", DType::u8}, {"none", {}, 2}}, placement);
    CHECK(report.steps[1].notes == std::vector<std::string>{"no tensor is called 'none'"});
    CHECK(q(model, "x") == narrowed(choose_qparams({-1, 1}, DType::i8), 3));
    CHECK(q(model, "r") == narrowed(choose_qparams({0, 4}, DType::u8), 4));
    CHECK(q(model, "b") == choose_qparams({-8, 8}, DType::u8));
    const auto bounds_behind = [&](const char* tensor) {
      const Node& clip = *model.graph().find(tensor)->uses().front().user()->output(0)->uses().front().user();
      REQUIRE(clip.is("Clip"));
      CHECK(paired_quantize(*clip.output(0)->uses().front().user()) == clip.input(0)->producer());
      return std::vector{clip.input(1)->constant()->item<int>(), clip.input(2)->constant()->item<int>()};
    };
    CHECK(bounds_behind("x") == std::vector{-4, 3});
    CHECK(bounds_behind("r") == std::vector{0, 15});
    CHECK(dequantized(*model.graph().find("r")) != nullptr);

    const Feeds feeds{{"x", Tensor::of<float>({1, 2, 2, 2}, {0.01f, 0.5f, -0.3f, 0.9f, -2, 0.25f, 0.77f, 3})}};
    const Value& behind = *dequantized(*model.graph().find("r"));
    const std::vector<float> got = Evaluator(model.graph()).run(feeds, {&behind})[0].to<float>();
    for (const float value : got) CHECK(std::abs(value * 15 / 4 - std::round(value * 15 / 4)) < 1e-4F);
    CHECK(*std::ranges::max_element(got) <= 4);
  }
  CHECK_THROWS_WITH(override_activations({{"x", {}, 1}}), Catch::Contains("2 to 8"));
  CHECK_THROWS_WITH(override_activations({{"x", {}, 9}}), Catch::Contains("2 to 8"));
  Model old = graph("opset 11; x: f32[1,2,2,2]; y = Relu(x)");
  CHECK_THROWS_WITH(override_activations({{"x", {}, 4}}).run(old), Catch::Contains("opset 12"));
}

TEST_CASE("dtypes of tensors follow renames, and joins of tensors that share one", "[quantize]") {
  Facts facts;
  facts.provide(
      ActivationDTypes{{{"x", DType::i8}, {"y", DType::i8}, {"z", DType::u16}}, {{"x", 4}, {"y", 4}, {"z", 5}}});
  facts.tensor_renamed("absent", "other");
  facts.tensor_renamed("x", "in");
  facts.tensor_joined("both", std::vector<std::string>{"in", "y"});
  facts.tensor_joined("unlike", std::vector<std::string>{"in", "z"});
  facts.tensor_joined("part", std::vector<std::string>{"in", "absent"});
  CHECK(facts.find<ActivationDTypes>()->by_name ==
        std::map<std::string, DType, std::less<>>{
            {"in", DType::i8}, {"y", DType::i8}, {"z", DType::u16}, {"both", DType::i8}});
  CHECK(facts.find<ActivationDTypes>()->bits ==
        std::map<std::string, int, std::less<>>{{"in", 4}, {"y", 4}, {"z", 5}, {"both", 4}});
}
