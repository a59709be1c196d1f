#include <graft/quantize/tune/choose_forms_by_error.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// y, z and u multiply what is divided by a number of the sample, t what lies between 0 and 1. u is too small to gain.
const std::string net =
    "x: f32[1,64,256]; s: f32[]; d = Div(x, s); y = MatMul(d, f32[256,128] random); "
    "z = MatMul(d, f32[256,128] random(-1, 1, 2)); u = MatMul(d, f32[256,1] random); "
    "t = MatMul(Sigmoid(x), f32[256,128] random)";

/// The products that are chosen, if the numbers are these by turns.
std::string chosen(const std::vector<float>& numbers, const Target& target, const std::string& excluded = "none") {
  Random random(7);
  std::vector<Feeds> samples;
  for (int i = 0; i < 4; ++i)
    for (const float number : numbers)
      samples.push_back({{"x", random_tensor(DType::f32, {1, 64, 256}, random, Interval{-1, 1})},
                         {"s", Tensor::scalar(number)}});
  Model model = graph(net);
  Context context;
  context.facts.provide(ProductForms()).choose("chosen before", ProductForm::dynamic, "why");
  (calibrate(samples) | exclude_nodes({excluded}) | choose_forms_by_error(target, samples)).run(model, context);
  std::string names;
  const auto forms = context.facts.value_or_default<ProductForms>();
  for (const auto& [name, why] : forms.dynamic.reasons) names += name + " ";
  for (const auto& [bits, products] : forms.weight_only)
    for (const auto& [name, why] : products.reasons) names += name + std::to_string(bits) + " ";
  return names;
}

}  // namespace

TEST_CASE("products whose input has no scale in common join those that are dynamic", "[quantize]") {
  const Target& target = targets::ort_cpu_x64;
  CHECK(chosen({1, 0.01f}, target) == "chosen before y z ");
  CHECK(chosen({1, 1, 1, 1, 1, 1, 1, 0.1f}, target) == "chosen before y z ");
  CHECK(chosen({1, 1, 1, 1, 1, 1, 1, 0.1f}, target, "y") == "chosen before z ");
  CHECK(chosen({1}, target) == "chosen before ");
}

TEST_CASE("a product that would take longer than in float is not chosen", "[quantize]") {
  Target slow = targets::ort_cpu_x64;
  slow.dynamic_quantize = {1e9f};
  CHECK(chosen({1, 1, 1, 1, 1, 1, 1, 0.1f}, slow) == "chosen before ");
  slow.dynamic_kernels = {};
  CHECK(chosen({1, 1, 1, 1, 1, 1, 1, 0.1f}, slow) == "chosen before ");
}

namespace {

using Choices = std::map<std::string, int>;

struct Features {
  std::size_t far_above = 1;        ///< how many of 256
  float factor = 100;               ///< by how much
  std::vector<float> samples{1, 1};  ///< what each sample is multiplied by
};

/// Of y, which multiplies such features; `changes` is what the pass reports.
Choices choices(const Features& features, const Target& target, std::size_t changes, const ProductForms& before = {}) {
  Random random(7);
  std::vector<Feeds> samples;
  for (const float number : features.samples) {
    std::vector<float> factors(256, number);
    for (std::size_t i = 0; i < features.far_above; ++i) factors[i] *= features.factor;
    samples.push_back({{"x", random_tensor(DType::f32, {1, 4, 256}, random, Interval{-1, 1})},
                       {"f", Tensor::list<float>(factors)}});
  }
  Model model = graph("x: f32[1,4,256]; f: f32[256]; y = MatMul(Mul(x, f), f32[256,256] random)");
  Context context;
  context.facts.provide(before);
  const Report report = (calibrate(samples) | choose_forms_by_error(target, samples)).run(model, context);
  CHECK(report.step("choose_forms_by_error")->changes == changes);
  return context.facts.value_or_default<ProductForms>().choices();
}

}  // namespace

TEST_CASE("a product whose input has a few features far above others is weight-only", "[quantize]") {
  const Target& target = targets::ort_cpu_x64;
  CHECK(choices({}, target, 1) == Choices{{"y", 8}});
  CHECK(choices({.factor = 1}, target, 0).empty());
  CHECK(choices({.far_above = 128}, target, 0).empty());  // they are the signal
  Target lacking = target;
  lacking.block_costs = {};
  CHECK(choices({}, lacking, 0).empty());
}

TEST_CASE("one form is chosen of a product that two would serve", "[quantize]") {
  const Features both{.samples = {1, 1, 1, 0.01f}};
  CHECK(choices(both, targets::ort_cpu_x64, 1) == Choices{{"y", 8}});
  Target without_blocks = targets::ort_cpu_x64;
  without_blocks.block_costs = {};
  CHECK(choices(both, without_blocks, 1) == Choices{{"y", 0}});
}

TEST_CASE("a product that cannot be dynamic is weight-only where its range alone serves it ill", "[quantize]") {
  const Features of_samples{.factor = 1, .samples = {1, 0.01f}};
  CHECK(choices(of_samples, targets::ort_cpu_x64, 1) == Choices{{"y", 0}});
  Target without_kernel = targets::ort_cpu_x64, slow = targets::ort_cpu_x64;
  without_kernel.dynamic_kernels = {};
  slow.dynamic_quantize = {1e9f};
  CHECK(choices(of_samples, without_kernel, 1) == Choices{{"y", 8}});
  CHECK(choices(of_samples, slow, 1) == Choices{{"y", 8}});
}

TEST_CASE("what was chosen of a product before stays so", "[quantize]") {
  ProductForms before;
  before.choose("y", ProductForm::weight_only, "it takes less time", 4);
  CHECK(choices({.samples = {1, 0.01f}}, targets::ort_cpu_x64, 0, before) == Choices{{"y", 4}});
}

TEST_CASE("a run that is cancelled reads no more samples", "[quantize]") {
  std::size_t read = 0;
  bool is_cancelled = false;
  Context context;
  context.cancelled = [&] { return is_cancelled; };
  context.facts.provide(Ranges{{"x", {-1, 1}}});
  SampleStream samples([&]() -> std::optional<Sample> {
    is_cancelled = ++read == 2;
    return Sample({{"x", Tensor(DType::f32, {1, 64, 256})}});
  });
  Model model = graph("x: f32[1,64,256]; y = MatMul(x, f32[256,128] random)");
  CHECK(choose_forms_by_error(targets::ort_cpu_x64, samples).run(model, context).outcome == Outcome::cancelled);
  CHECK(read == 2);
}
