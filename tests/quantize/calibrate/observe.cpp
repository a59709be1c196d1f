#include <graft/quantize/calibrate/observe.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// All values alike except for the first.
Feeds sample(float value, float first, Dims dims = {1, 2, 4, 4}) {
  std::vector<float> values(static_cast<std::size_t>(element_count(dims)), value);
  values[0] = first;
  return {{"x", Tensor::of<float>(std::move(dims), values)}};
}

/// From the least to the greatest value of each tensor.
template <class Samples>
Ranges observed(const Evaluator& evaluator, const Model& model, const Samples& samples,
                const std::function<bool(std::size_t)>& go_on = {}) {
  Statistics<Extremes> statistics;
  observe(evaluator, observable(model.graph()), samples, statistics, go_on);
  return ranges_of(MinMax(), statistics);
}

Model net() {
  Net net;
  Value& y = net.op("Relu", {net.x}, "y");
  return net.build({&net.op("Neg", {&y}, "z")});
}

}  // namespace

TEST_CASE("the least and the greatest value of every tensor are observed, over all samples", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  const Ranges ranges = observed(evaluator, model, std::vector<Feeds>{sample(1, -3), sample(0.5f, 7)});
  CHECK(ranges == Ranges{{"x", {-3, 7}}, {"y", {0, 7}}, {"z", {-7, 0}}});
}

TEST_CASE("the extremes are found wherever they stand", "[quantize]") {
  Net builder;
  Value& input = builder.builder.input("v", DType::f32, {"n"});
  const Model model = builder.build({&builder.op("Neg", {&input}, "w"), builder.x});
  const Evaluator evaluator(model.graph());
  for (std::size_t place = 0; place < 67; ++place) {
    std::vector<float> values(67, 0.5f);
    values[place] = -2;
    values[(place + 30) % 67] = 3;
    const Feeds feeds{{"v", Tensor::of<float>({67}, values)}, {"x", Tensor(DType::f32, {1, 2, 4, 4})}};
    REQUIRE(observed(evaluator, model, std::vector<Feeds>{feeds}).at("v") == Range{-2, 3});
  }
}

TEST_CASE("constants and tensors of other dtypes are not observed", "[quantize]") {
  Net builder;
  Value& shape = builder.op("Shape", {builder.x}, "shape");
  builder.builder.graph().set_type(shape, onnx::TypeProto());
  Value& constant = builder.op("Constant", {}, "constant", {{"value", Tensor::scalar(1.0f)}});
  Value& sum = builder.op("Add", {builder.x, &constant}, "sum");
  const Model model = builder.build({&shape, &sum});
  const Evaluator evaluator(model.graph());
  const Ranges ranges = observed(evaluator, model, std::vector<Feeds>{sample(1, 1)});
  CHECK(ranges == Ranges{{"x", {1, 1}}, {"sum", {2, 2}}});
}

TEST_CASE("a value that is not finite is an error that names sample and tensor", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const std::vector<Feeds> samples{sample(1, 1), sample(1, bad)};
    CHECK_THROWS_WITH(observed(evaluator, model, samples), "sample 1: x: holds NaN or infinity");
  }
}

TEST_CASE("what IsNaN reads behind nodes that move elements may hold NaN as well", "[quantize]") {
  const std::string moved = "x: f32[1,2,4,4]; a = Neg(x); b = Transpose(a); c = Reshape(b, i64[1] -1); ";
  const std::vector<const char*> values{"a", "b", "c"};
  const auto run = [&](const char* test) {
    const Model model = graph(moved + test);
    std::vector<const Value*> all;
    for (const char* const value : values) all.push_back(model.graph().find(value));
    const Evaluator evaluator(model.graph());
    Statistics<Extremes> statistics;
    observe(evaluator, all, std::vector<Feeds>{sample(-3, NAN)}, statistics);
    return ranges_of(MinMax(), statistics);
  };
  CHECK(run("y = IsNaN(c)") == Ranges{{"a", {0, 3}}, {"b", {0, 3}}, {"c", {0, 3}}});
  CHECK_THROWS_WITH(run("y = IsNaN(Exp(c))"), Catch::Contains("a: holds NaN"));
}

TEST_CASE("what IsNaN or IsInf reads may hold NaN, which counts as 0", "[quantize]") {
  for (const char* const test : {"IsNaN", "IsInf"}) {
    Net builder;
    Value& tested = builder.op("Neg", {builder.x}, "tested");
    const Model model = builder.build({&builder.op(test, {&tested}, "found"), &builder.op(test, {builder.x}, "fed")});
    const std::vector<const Value*> values{model.graph().find("x"), model.graph().find("tested")};
    const Evaluator evaluator(model.graph());
    Statistics<Extremes> statistics;
    observe(evaluator, values, std::vector<Feeds>{sample(-1, NAN), sample(-3, NAN)}, statistics);
    CHECK(ranges_of(MinMax(), statistics) == Ranges{{"x", {-3, 0}}, {"tested", {0, 3}}});
  }
}

TEST_CASE("what IsNaN reads behind what moves its elements may hold NaN too", "[quantize]") {
  Net builder;
  Value& made = builder.op("Neg", {builder.x}, "made");
  Value& moved = builder.op("Transpose", {&made}, "moved");
  Value& computed = builder.op("Neg", {&made}, "computed");
  const Model model = builder.build({&builder.op("IsNaN", {&moved}, "found"), &computed});
  const std::vector<const Value*> values{model.graph().find("made"), model.graph().find("moved")};
  const Evaluator evaluator(model.graph());
  Statistics<Extremes> statistics;
  observe(evaluator, values, std::vector<Feeds>{sample(-1, NAN)}, statistics);
  CHECK(ranges_of(MinMax(), statistics) == Ranges{{"made", {0, 1}}, {"moved", {0, 1}}});
  CHECK_THROWS_WITH(observe(evaluator, {&computed}, std::vector<Feeds>{sample(-1, NAN)}, statistics),
                    Catch::Contains("computed: holds NaN"));
}

TEST_CASE("an infinity that an operator makes counts as the greatest float, one that a product makes is an error",
          "[quantize]") {
  constexpr float greatest = std::numeric_limits<float>::max();
  Net builder;
  Value& masked = builder.op("Add", {builder.x, &builder.scalar("mask", -INFINITY)}, "masked");
  const Model model = builder.build({&masked});
  CHECK(observed(Evaluator(model.graph()), model, std::vector<Feeds>{sample(1, 2)}).at("masked") ==
        Range{-greatest, -greatest});
  Net other;
  const Model undefined = other.build({&other.op("Mul", {other.x, &other.scalar("mask", -INFINITY)}, "product")});
  CHECK_THROWS_WITH(observed(Evaluator(undefined.graph()), undefined, std::vector<Feeds>{sample(0, 0)}),
                    "sample 0: product: holds NaN inside the model, where calibration needs a range");
  Net large;
  const Model overflown = large.build({&large.conv(*large.x)});
  CHECK_THROWS_WITH(observed(Evaluator(overflown.graph()), overflown, std::vector<Feeds>{sample(greatest, greatest)}),
                    Catch::Contains("sample 0: y: holds NaN or infinity inside the model"));
}

TEST_CASE("an error names the file that the sample is from, if that is known", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  const auto message = [&](const Sample& sample) {
    try {
      observed(evaluator, model, std::vector<Sample>{sample});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message({sample(1, NAN), "cat.jpg"}) == "cat.jpg: x: holds NaN or infinity");
  CHECK(message({sample(1, NAN), "set", {"set/input_0.pb"}}) == "set/input_0.pb: x: holds NaN or infinity");
  CHECK(message({sample(1, 1, {1, 2, 4, 5}), "cat.jpg"}) == "cat.jpg: x: fed with f32[1,2,4,5], expected f32[1,2,4,4]");
}

TEST_CASE("samples that have an identity are noted, and count once", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  Sample named(sample(1, 1), "cat.jpg");
  named.identity = {3, "cat"};
  Statistics<Extremes> statistics;
  observe(evaluator, named, observable(model.graph()), statistics);
  observe(evaluator, Sample(sample(1, 1)), observable(model.graph()), statistics);
  SeenSamples seen;
  seen.add(3, "cat");
  CHECK(statistics.seen == seen);
  CHECK(statistics.samples == 2);
  const Statistics before = statistics;
  named.identity->index = 4;
  named.feeds = sample(1, 1, {1, 2, 4, 5});
  CHECK_THROWS_WITH(observe(evaluator, named, observable(model.graph()), statistics), Catch::Contains("expected f32"));
  CHECK(statistics == before);
  named.identity->index = 3;
  named.feeds = sample(9, 9);
  CHECK_THROWS_WITH(observe(evaluator, named, observable(model.graph()), statistics),
                    "cat.jpg: sample 3 cannot follow sample 3: each counts once, in order");
  CHECK(statistics == before);
}

TEST_CASE("where a node fails the error is the model's, and tells the sample", "[quantize]") {
  Net builder;
  Value& free = builder.builder.input("free", DType::f32, {"n"});
  const Model model = builder.build({&builder.op("Add", {&free, &builder.constant("two", {1, 2}, {2})}, "sum")});
  const Evaluator evaluator(model.graph());
  const Sample three({{"free", Tensor(DType::f32, {3})}, {"x", Tensor(DType::f32, {1, 2, 4, 4})}}, "three.pb");
  CHECK_THROWS_WITH(observed(evaluator, model, std::vector<Sample>{three}),
                    Catch::StartsWith("node 'sum_node': ") && Catch::EndsWith(", on three.pb"));
}

TEST_CASE("a sample of the wrong shape is an error that names it", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  const std::vector<Feeds> samples{sample(1, 1, {1, 2, 4, 5})};
  CHECK_THROWS_WITH(observed(evaluator, model, samples), Catch::StartsWith("sample 0: x: "));
}

TEST_CASE("one who listens can end the run", "[quantize]") {
  const Model model = net();
  const Evaluator evaluator(model.graph());
  std::vector<std::size_t> heard;
  const auto go_on = [&](std::size_t done) {
    heard.push_back(done);
    return done < 1;
  };
  const std::vector<Feeds> samples{sample(1, 1), sample(1, 9), sample(1, 9)};
  CHECK(observed(evaluator, model, samples, go_on).at("x") == Range{1, 1});
  CHECK(heard == std::vector<std::size_t>{0, 1});
}
