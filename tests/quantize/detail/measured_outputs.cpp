#include <graft/quantize/detail/measured_outputs.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "support/uniform_samples.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

using Names = std::vector<std::string>;

Names names(const Fetches& fetches) {
  Names all;
  for (const ValueRef& fetch : fetches) all.emplace_back(fetch.name());
  return all;
}

/// What is compared, and "<name" of what copies are fed with.
Names measured(const std::string& text) {
  Model model = graph(text);
  const detail::MeasuredOutputs outputs(model.graph());
  Names all = names(outputs.in_floats(model.graph()));
  for (std::size_t i = outputs.places().size() + outputs.sources().size(); i < all.size(); ++i) all[i].insert(0, "<");
  return all;
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

/// Counts runs that compute the indices of TopK in a quantized graph.
struct Watching {
  Evaluator evaluator;
  const Graph* graph;
  std::size_t* count;

  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const {
    watch(feeds);
    return evaluator.run(feeds, fetches);
  }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const {
    watch(feeds);
    evaluator.observe(feeds, fetches, observer);
  }
  void watch(const Feeds& feeds) const {
    bool is_quantized = false;
    for (const Node& node : graph->nodes()) is_quantized = is_quantized || node.is("QuantizeLinear");
    const bool is_fed = std::ranges::any_of(feeds, [](const auto& feed) { return feed.first.name() == "i"; });
    *count += is_quantized && !is_fed;
  }
};

}  // namespace

TEST_CASE("outputs are measured on the same rows, and what these are selected from and by", "[quantize]") {
  CHECK(measured("x: f32[2,8]; y = Relu(x); z = ArgMax(y); return y, z") == Names{"y", "z"});
  CHECK(measured(detector) == Names{"y", "z", "scores", "boxes", "<kept"});
  CHECK(measured("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {3}); return v, i") == Names{"v", "i", "h", "<i"});
  const std::string compress = "x: f32[8]; h = Neg(x); g = Exp(x); m = Greater(h, f32[] 0); y = Compress(g, m);";
  CHECK(measured(compress + "return m, y") == Names{"m", "y", "h", "g", "<m"});
  CHECK(measured(compress + "return y, m") == Names{"y", "m", "h", "g", "<m"});
  CHECK(measured("x: f32[8]; h = Neg(x); m = Greater(h, f32[] 0); y = Compress(h, m); z = Compress(Exp(x), m); "
                 "return y, z") == Names{"y", "z", "h", "Exp_1", "<m"});  // fed once
  CHECK(measured("x: f32[8]; h = Neg(x); s = Shape(NonZero(h)); n = Gather(s, i64[] 1); return n") ==
        Names{"n", "h", "<NonZero_1"});
}

TEST_CASE("classes are measured, and the floats that decide", "[quantize]") {
  CHECK(measured("x: f32[2,8]; h = Neg(x); y = ArgMax(h); return y") == Names{"y", "h"});
  CHECK(measured("x: f32[2,8]; i: i64[2]; h = Neg(x); m = Greater(h, f32[] 0); j = Neg(i); return m, j") ==
        Names{"m", "j", "h"});
  Model model = graph(
      "x: f32[1,3,8,8]; h = Relu(Conv(x, f32[16,3,3,3] random) {pads=[1,1,1,1]}); "
      "y = ArgMax(Conv(h, f32[5,16,1,1] random)) {axis=1}; return y");
  QuantizeOptions options;
  options.static_options().placement = Placement::all_supported;
  const QuantizeResult result = quantize(model, uniform_samples(16, {1, 3, 8, 8}), target, options);
  CHECK(result.fidelity()->cosine < 1);
  CHECK(result.fidelity()->cosine > 0.99);
  CHECK(result.fidelity()->agreement > 0.8);
  CHECK(result.fidelity()->decibels < 80);
}

TEST_CASE("what each selection depends on is measured, behind products too", "[quantize]") {
  const std::string one =
      "x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {4}); g = GatherElements(h, i) {axis=1}; "
      "y = MatMul(g, f32[4,3] random);";
  CHECK(measured(one + "return y") == Names{"y", "h", "<i"});
  CHECK(measured(one + "z = Relu(y); w, j = TopK(z, i64[1] {2}); return j") == Names{"j", "z", "h", "<i", "<j"});
}

TEST_CASE("bodies read values that are measured", "[quantize]") {
  CHECK(measured("x: f32[8]; c: bool[]; h = Neg(x); g = Exp(x); z = If(c) {then_branch={ return h }, "
                 "else_branch={ return g }}; v, i = TopK(z, i64[1] {3}); return i") == Names{"i", "z", "<i"});
}

TEST_CASE("what a body selects is fed to no copy", "[quantize]") {
  const std::string body =
      "x: f32[8]; c: bool[]; h = Neg(x); n = If(c) {then_branch={ v, i = TopK(h, i64[1] {3}); "
      "return i }, else_branch={ j = Shape(x); return j }}; g = Gather(h, n) {axis=0};";
  CHECK(measured(body + "return g") == Names{"h"});
  CHECK(measured(body + "y = MatMul(g, f32[3,2] random); return y") == Names{"y", "h"});
  // Nor is what is selected from its rows.
  CHECK(measured(body + "v, i = TopK(g, i64[1] {2}); return i") == Names{"h"});
}

TEST_CASE("the first of the greatest is a decision, rows are none", "[quantize]") {
  const auto decisions = [](const std::string& text) {
    return detail::MeasuredOutputs(graph(text).graph()).decisions();
  };
  using Decisions = std::vector<Decision>;
  CHECK(decisions(detector) == Decisions(4, Decision::none));
  const std::string top = "x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {4});";
  const std::string rows = "g = GatherElements(h, i) {axis=1};";
  CHECK(decisions(top + rows + "return i, g") == Decisions{Decision::none, Decision::none, Decision::greatest});
  CHECK(decisions(top + rows + "return g, i") == Decisions{Decision::none, Decision::none, Decision::greatest});
  CHECK(decisions(top + "j = Slice(i, i64[1] {0}, i64[1] {1}, i64[1] {1}); return j") ==
        Decisions{Decision::none, Decision::greatest});
  CHECK(decisions("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {4}) {largest=0}; return i") ==
        Decisions{Decision::none, Decision::none});
  CHECK(decisions("x: f32[2,8]; h = Neg(x); v, i = TopK(h, i64[1] {1}) {axis=0}; return i") ==
        Decisions{Decision::none, Decision::none});
  CHECK(decisions("x: f32[8]; c: bool[8]; y = Compress(Neg(x), c); return y") == Decisions{Decision::greatest});
  CHECK(decisions(top + "return i") == Decisions{Decision::none, Decision::greatest});
  CHECK(decisions(top + "j = Cast(i) {to=6}; return j") == Decisions{Decision::none, Decision::greatest});
  CHECK(decisions(top + "g = GatherElements(x, i) {axis=1}; return g") == Decisions{Decision::none, Decision::none});
  CHECK(decisions(top + "g = GatherElements(x, i) {axis=1}; y = MatMul(g, f32[4,3] random); return y") ==
        Decisions{Decision::greatest, Decision::none});
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
    const std::vector<Feeds> given = uniform_samples(4, text == detector ? Dims{1, 3, 8, 8} : Dims{4, 8});
    Context context;
    calibrate(given).run(floats, context);
    const detail::MeasuredOutputs outputs(floats.graph());
    std::vector<Tensor> wanted = Evaluator(floats.graph()).run(given[0], outputs.in_floats(floats.graph()));
    const Feeds selected = outputs.take_selected(wanted);
    const Pass passes[] = {inject_qdq(target, Placement::all_supported), inject_qdq(target, Placement::naive),
                           quantize_dynamic(target), quantize_weights_blockwise(target)};
    for (const Pass& quantize : passes) {
      INFO(text << "\n" << quantize.name());
      Model copy = floats.clone();
      outputs.add_to(copy.graph());
      Context known = context;
      quantize.run(copy, known);
      const std::vector<Tensor> found =
          Evaluator(copy.graph())
              .run(detail::feeds_of_copy(copy.graph(), given[0], selected), outputs.in_copy(copy.graph()));
      FidelityMeter meter;
      meter.add(wanted, found);
      CHECK(meter.fidelity().cosine > 0.9);
    }
  }
}

TEST_CASE("a detector that selects its boxes is judged by all of them", "[quantize]") {
  Model model = graph(detector);
  QuantizeOptions options;
  options.static_options().placement = Placement::all_supported;
  options.static_options().analyze = true;
  const QuantizeResult result = quantize(model, uniform_samples(16, {1, 3, 8, 8}), target, options);
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

TEST_CASE("a second stage is judged on the rows that the float model selects", "[quantize]") {
  Model model = graph(R"(
    x: f32[1,3,8,8]; h = Relu(Conv(x, f32[16,3,3,3] random) {pads=[1,1,1,1]});
    s = Reshape(Conv(h, f32[1,16,1,1] random), i64[2] {1, 64}); f = Reshape(h, i64[3] {1, 16, 64});
    v, i = TopK(s, i64[1] {12}); rows = Gather(f, Squeeze(i, i64[1] {0})) {axis=2};
    t = Reshape(Transpose(rows) {perm=[0,2,1]}, i64[2] {12, 16});
    a = Relu(Gemm(t, f32[16,32] random)); y = Gemm(a, f32[32,40] random); c = ArgMax(y) {axis=1, keepdims=0};
    return y, c)");
  QuantizeOptions options;
  options.static_options().placement = Placement::all_supported;
  options.static_options().analyze = true;
  const QuantizeResult result = quantize(model, uniform_samples(16, {1, 3, 8, 8}), target, options);
  for (const std::optional<Fidelity>& found : {result.fidelity(), result.checked}) {
    REQUIRE(found);
    CHECK(found->cosine > 0.99);
    CHECK(found->agreement > 0.9);
    CHECK(found->agreement < 1);
  }
  REQUIRE(result.analysis);
  CHECK(result.analysis->outputs.cosine > 0.99);
  REQUIRE(!result.analysis->layers.empty());
  for (const LayerEffect& layer : result.analysis->layers) CHECK(layer.quantized_alone.cosine > 0.99);
  CHECK_FALSE(result.poor_layers);
  CHECK(result.passes.warnings.empty());
}

TEST_CASE("the last check runs the selection of the quantized model, too", "[quantize]") {
  Model model = graph(
      "x: f32[4,8]; h = MatMul(x, f32[8,16] random); v, i = TopK(h, i64[1] {3}); "
      "g = GatherElements(h, i) {axis=1}; return g, i");
  std::size_t runs_of_topk = 0;
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().placement = Placement::all_supported;
  options.make_executor = [&](const Graph& floats) {
    return AnyExecutor(Watching{Evaluator(floats), &floats, &runs_of_topk});
  };
  quantize(model, uniform_samples(4, {4, 8}), target, options);
  CHECK(runs_of_topk == 4);  // of the quantized model, once for each sample
}

TEST_CASE("a goal by agreement needs a decision", "[quantize]") {
  Model model = graph(detector);
  QuantizeOptions options;
  options.static_options().placement = Placement::all_supported;
  options.static_options().goal = FidelityGoal{.agreement = 0.9};
  CHECK_THROWS_WITH(quantize(model, uniform_samples(8, {1, 3, 8, 8}), target, options),
                    Catch::Contains("no output decides between classes"));
}

TEST_CASE("two graphs of detectors are analyzed on the same rows", "[quantize]") {
  Model floats = graph(detector);
  const std::vector<Feeds> given = uniform_samples(4, {1, 3, 8, 8});
  Context context;
  calibrate(given).run(floats, context);
  Model quantized = floats.clone();
  inject_qdq(target, Placement::all_supported).run(quantized, context);
  CHECK(analyze(floats.graph(), quantized.graph(), given).outputs.cosine > 0.99);
  quantized.graph().add_output(*quantized.graph().find("index"));
  CHECK_THROWS_WITH(analyze(floats.graph(), quantized.graph(), given), Catch::Contains("different outputs"));
}
