#include <graft/quantize/detail/measured_outputs.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

std::vector<std::string> measured(const Graph& graph) {
  std::vector<std::string> names;
  for (const Value* const value : detail::measured_values(graph)) names.emplace_back(value->name());
  return names;
}
std::vector<std::string> measured(const std::string& text) { return measured(graph(text).graph()); }

using Names = std::vector<std::string>;

/// A detector of 64 places, whose boxes and scores are near 0.5 everywhere: no two copies keep the same rows.
constexpr const char* detector = R"(
    x: f32[1,3,8,8]; h = Relu(Conv(x, f32[16,3,3,3] random) {pads=[1,1,1,1]});
    b = Conv(h, f32[4,16,1,1] random); s = Conv(h, f32[1,16,1,1] random);
    boxes = Transpose(Reshape(Sigmoid(b), i64[3] {1, 4, 64})) {perm=[0,2,1]};
    scores = Reshape(Sigmoid(s), i64[3] {1, 1, 64});
    kept = NonMaxSuppression(boxes, scores, i64[] 20, f32[] 0.9, f32[] 0.5);
    index = Gather(kept, i64[] 2) {axis=1}; y = Gather(boxes, index) {axis=1}; z = Gather(scores, index) {axis=2};
    return y, z)";

}  // namespace

TEST_CASE("outputs are measured, or what they are selected from and by", "[quantize]") {
  CHECK(measured("x: f32[2,8]; y = Relu(x); z = ArgMax(y); return y, z") == Names{"y", "z"});
  CHECK(measured(detector) == Names{"boxes", "scores"});
  CHECK(measured("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {3}); return v, i") == Names{"v", "h"});
  CHECK(measured("x: f32[8]; h = Neg(x); c = Greater(h, f32[] 0); y = Compress(h, c); return y, h") == Names{"h"});
}

TEST_CASE("behind a product by a constant, outputs are measured whatever was selected", "[quantize]") {
  CHECK(measured("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {4}); g = GatherElements(h, i) {axis=1}; "
                 "y = MatMul(g, f32[4,3] random); return y") == Names{"y"});
}

TEST_CASE("what no float decides selects the same in every copy", "[quantize]") {
  CHECK(measured("x: f32[N,8]; i: i64[N]; s = NonZero(i); h = Neg(x); y = Add(h, f32[8] random); t = Shape(y); "
                 "o = NonZero(t); return y, s, o") == Names{"y", "s", "o"});
}

TEST_CASE("quantized copies have the measured values of the float graph", "[quantize]") {
  Model floats = graph(detector);
  Random random(3);
  std::vector<Feeds> samples(4);
  for (Feeds& feeds : samples) feeds.emplace_back("x", random_tensor(DType::f32, {1, 3, 8, 8}, random));
  Context context;
  calibrate(samples).run(floats, context);
  inject_qdq(target, Placement::all_supported).run(floats, context);
  const std::vector<const Value*> values = detail::measured_values(floats.graph());
  REQUIRE(values.size() == 2);
  CHECK(values[0]->name() == "boxes");
  CHECK(values[1]->name() == "scores");
  const detail::LiveValues live(floats.graph());
  for (const Value* const value : values) CHECK(std::ranges::count(live.at(floats.graph().nodes().size()), value) == 1);
}

TEST_CASE("of a value with a pair the dequantized one is measured", "[quantize]") {
  CHECK(measured("x: f32[2,8]; h = Neg(x); q = QuantizeLinear(h, f32[] 0.1, i8[] 0); "
                 "d = DequantizeLinear(q, f32[] 0.1, i8[] 0); v, i = TopK(d, i64[1] {3}); "
                 "y = GatherElements(d, i) {axis=1}; return y, i") == Names{"d"});
}

TEST_CASE("a detector that selects its boxes is judged by all of them", "[quantize]") {
  Model model = graph(detector);
  Random random(3);
  std::vector<Feeds> samples(16);
  for (Feeds& feeds : samples) feeds.emplace_back("x", random_tensor(DType::f32, {1, 3, 8, 8}, random));
  QuantizeOptions options;
  options.placement = Placement::all_supported;
  const QuantizeResult result = quantize(model, samples, target, options);
  CHECK(result.fidelity()->cosine > 0.99);
  CHECK_FALSE(result.is_poor());
  CHECK_FALSE(result.poor_layers);
  CHECK(result.passes.warnings.empty());
}
