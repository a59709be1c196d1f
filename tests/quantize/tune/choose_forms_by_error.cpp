#include <graft/quantize/tune/choose_forms_by_error.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pipeline.hpp>
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
  context.facts.provide(ProductForms{{{{"chosen before", "why"}}}});
  (calibrate(samples) | exclude_nodes({excluded}) | choose_forms_by_error(target, samples)).run(model, context);
  std::string names;
  for (const auto& [name, why] : context.facts.value_or_default<ProductForms>().reasons) names += name + " ";
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
