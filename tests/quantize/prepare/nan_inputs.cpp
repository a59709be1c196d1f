#include <graft/quantize/prepare/nan_inputs.hpp>

#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// Rows whose scores are all hidden are NaN behind the Softmax, and hidden again at the end.
Model masked() {
  return graph(
      "x: f32[1,4,4]; mask: bool[1,4]; w = f32[4,4] 0.5;"
      "keys = Transpose(x) {perm=[0,2,1]}; all = MatMul(x, keys); seen = Unsqueeze(mask, i64[1] 2);"
      "scores = Where(seen, all, f32[] -inf); p = Softmax(scores); mixed = MatMul(p, x); a = MatMul(x, w);"
      "b = MatMul(mixed, w); sum = Add(a, b); y = Where(seen, sum, f32[] 0)");
}

std::vector<Feeds> samples(bool all_seen) {
  std::vector<float> values;
  for (int i = 0; i < 16; ++i) values.push_back(static_cast<float>(i % 5) - 2);
  return {{{"x", Tensor::of<float>({1, 4, 4}, values)},
           {"mask", Tensor::of<bool>({1, 4}, std::vector<bool>{true, true, all_seen, true})}}};
}

}  // namespace

TEST_CASE("a product whose input holds NaN on a sample stays in float", "[quantize]") {
  for (const bool all_seen : {false, true}) {
    Model model = masked();
    Context context;
    CHECK(keep_nan_inputs_in_float(samples(all_seen)).run(model, context).changes == (all_seen ? 0 : 1));
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    CHECK(kept.holds(node_making(model, "b")) == !all_seen);
    CHECK_FALSE(kept.holds(node_making(model, "a")));
  }
}

TEST_CASE("dynamic quantization leaves such a product alone", "[quantize]") {
  Model model = masked();
  QuantizeOptions options;
  options.mode = DynamicOptions();
  Context context;
  const std::vector<Feeds> feeds = samples(false);
  CHECK(quantize(model, feeds, targets::ort_cpu_x64, options, context).products == 1);
  CHECK(count(model.graph(), "MatMul") == 3);
}
