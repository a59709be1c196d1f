#include <graft/quantize/detail/measured_outputs.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

using Names = std::vector<std::string>;

Names names(const Fetches& fetches) {
  Names all;
  for (const ValueRef& fetch : fetches) all.emplace_back(fetch.name());
  return all;
}

Names measured(const std::string& text) {
  Model model = graph(text);
  return names(detail::MeasuredOutputs(model.graph()).in_floats(model.graph()));
}

/// A detector of 64 places, whose boxes and scores are near 0.5 everywhere: no two copies keep the same rows.
constexpr const char* detector = R"(
    x: f32[1,3,8,8]; h = Relu(Conv(x, f32[16,3,3,3] random) {pads=[1,1,1,1]});
    b = Conv(h, f32[4,16,1,1] random); s = Conv(h, f32[1,16,1,1] random);
    boxes = Transpose(Reshape(Sigmoid(b), i64[3] {1, 4, 64})) {perm=[0,2,1]};
    scores = Reshape(Sigmoid(s), i64[3] {1, 1, 64});
    kept = NonMaxSuppression(boxes, scores, i64[] 20, f32[] 0.9, f32[] 0.5);
    index = Gather(kept, i64[] 2) {axis=1}; y = Gather(boxes, index) {axis=1}; z = Gather(scores, index) {axis=2};
    return y, z)";

std::vector<Feeds> samples(std::vector<std::int64_t> dims, std::size_t count) {
  Random random(3);
  std::vector<Feeds> all(count);
  for (Feeds& feeds : all) feeds.emplace_back("x", random_tensor(DType::f32, dims, random, Interval{-1, 1}));
  return all;
}

}  // namespace

TEST_CASE("outputs are measured, or what they are selected from and by", "[quantize]") {
  CHECK(measured("x: f32[2,8]; y = Relu(x); z = ArgMax(y); return y, z") == Names{"y", "z"});
  CHECK(measured(detector) == Names{"scores", "boxes"});
  CHECK(measured("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {3}); return v, i") == Names{"v", "h"});
  const std::string compress = "x: f32[8]; h = Neg(x); g = Exp(x); m = Greater(h, f32[] 0); y = Compress(g, m);";
  CHECK(measured(compress + "return m, y") == Names{"m", "h", "g"});
  CHECK(measured(compress + "return y, m") == Names{"m", "h", "g"});
  CHECK(measured("x: f32[8]; h = Neg(x); s = Shape(NonZero(h)); n = Gather(s, i64[] 1); return n") == Names{"h"});
}

TEST_CASE("classes are measured, and the floats that decide", "[quantize]") {
  CHECK(measured("x: f32[2,8]; h = Neg(x); y = ArgMax(h); return y") == Names{"y", "h"});
  CHECK(measured("x: f32[2,8]; i: i64[2]; h = Neg(x); m = Greater(h, f32[] 0); j = Neg(i); return m, j") ==
        Names{"m", "j", "h"});
  Model model = graph("x: f32[1,3,8,8]; h = Relu(Conv(x, f32[16,3,3,3] random) {pads=[1,1,1,1]}); "
                      "y = ArgMax(Conv(h, f32[5,16,1,1] random)) {axis=1}; return y");
  QuantizeOptions options;
  options.placement = Placement::all_supported;
  const QuantizeResult result = quantize(model, samples({1, 3, 8, 8}, 16), target, options);
  CHECK(result.fidelity()->cosine < 1);
  CHECK(result.fidelity()->cosine > 0.99);
  CHECK(result.fidelity()->agreement > 0.8);
  CHECK(result.fidelity()->decibels < 80);
}

TEST_CASE("behind a product by a constant, outputs are measured up to the next selection", "[quantize]") {
  const std::string one =
      "x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {4}); g = GatherElements(h, i) {axis=1}; "
      "y = MatMul(g, f32[4,3] random);";
  CHECK(measured(one + "return y") == Names{"y"});
  CHECK(measured(one + "z = Relu(y); w, j = TopK(z, i64[1] {2}); return j") == Names{"z"});
}

TEST_CASE("bodies read values that are measured", "[quantize]") {
  CHECK(measured("x: f32[8]; c: bool[]; h = Neg(x); g = Exp(x); z = If(c) {then_branch={ return h }, "
                 "else_branch={ return g }}; v, i = TopK(z, i64[1] {3}); return i") == Names{"z"});
}

TEST_CASE("what no float decides selects the same in every copy", "[quantize]") {
  CHECK(measured("x: f32[N,8]; i: i64[N]; s = NonZero(i); h = Neg(x); y = Add(h, f32[8] random); t = Shape(y); "
                 "o = NonZero(t); return y, s, o") == Names{"y", "s", "o"});
}

TEST_CASE("copies have what is measured, however they are quantized", "[quantize]") {
  const Names nets{detector,
                   // Cast between scores and selection, and a product in front of it
                   "x: f32[4,8]; h = MatMul(x, f32[8,16] random); m = Cast(Greater(h, f32[] 0)) {to=f32}; "
                   "n = Add(MatMul(x, f32[8,16] random), f32[16] random); v, i = TopK(m, i64[1] {3}); "
                   "w, j = TopK(n, i64[1] {3}); return i, j",
                   "x: f32[4,8]; h = MatMul(x, f32[8,16] random); v, i = TopK(h, i64[1] {3}); "
                   "y = MatMul(v, f32[3,5] random); return i, y"};
  for (const std::string& text : nets) {
    Model floats = graph(text);
    const std::vector<Feeds> given = samples(text == detector ? Dims{1, 3, 8, 8} : Dims{4, 8}, 4);
    Context context;
    calibrate(given).run(floats, context);
    const detail::MeasuredOutputs outputs(floats.graph());
    const std::vector<Tensor> wanted = Evaluator(floats.graph()).run(given[0], outputs.in_floats(floats.graph()));
    const Pass passes[] = {inject_qdq(target, Placement::all_supported), inject_qdq(target, Placement::naive),
                           quantize_dynamic(target), quantize_weights_blockwise(target)};
    for (const Pass& quantize : passes) {
      INFO(text << "\n" << quantize.name());
      Model copy = floats.clone();
      outputs.add_to(copy.graph());
      Context known = context;
      quantize.run(copy, known);
      const std::vector<Tensor> found = Evaluator(copy.graph()).run(given[0], outputs.in_copy(copy.graph()));
      FidelityMeter meter;
      meter.add(wanted, found);
      CHECK(meter.fidelity().cosine > 0.9);
    }
  }
}

TEST_CASE("a detector that selects its boxes is judged by all of them", "[quantize]") {
  Model model = graph(detector);
  QuantizeOptions options;
  options.placement = Placement::all_supported;
  options.analyze = true;
  const QuantizeResult result = quantize(model, samples({1, 3, 8, 8}, 16), target, options);
  CHECK(result.fidelity()->cosine > 0.99);
  REQUIRE(result.checked);
  CHECK(result.checked->cosine > 0.99);
  REQUIRE(result.analysis);
  CHECK(result.analysis->outputs.cosine > 0.99);
  CHECK_FALSE(result.is_poor());
  CHECK_FALSE(result.poor_layers);
  CHECK(result.passes.warnings.empty());
  CHECK(model.graph().output_count() == 2);
}
