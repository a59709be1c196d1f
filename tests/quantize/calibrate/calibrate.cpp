#include <graft/quantize/calibrate/calibrate.hpp>

#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const std::vector<Feeds> samples{{{"x", Tensor(DType::f32, {1, 2, 4, 4})}},
                                 {{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 2.55f))}}};

}  // namespace

TEST_CASE("calibration provides the ranges that a later pass needs", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  const Pass pipeline = calibrate(samples) | inject_qdq(targets::ort_cpu_x64);
  CHECK(pipeline.needs().size() == 1);  // the opset
  pipeline.run(model);
  CHECK(qparams_of(*model.graph().first_node()) == QParams{0.01f, 0, DType::u8});
}

TEST_CASE("calibration notes tensors with many denormals", "[quantize]") {
  Model model = graph("x: f32[2]; s = f32[2] {1e-3, 1}; h = Mul(x, s); y = Relu(h)");
  const Report report = calibrate(std::vector<Feeds>{{{"x", Tensor::of<float>({2}, {1e-37f, 1})}}}).run(model);
  REQUIRE(report.notes.size() == 3);  // and the number of ranges
  CHECK(report.notes[0].find("tensor 'h': 50 %") == 0);
  CHECK(report.notes[1].find("tensor 'y': 50 %") == 0);
  CHECK(calibrate(std::vector<Feeds>{{{"x", Tensor::of<float>({2}, {1, 1})}}}).run(model).notes.size() == 1);
}

TEST_CASE("placement without ranges is an error before anything is done", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(inject_qdq(targets::ort_cpu_x64).run(model),
                    "pass 'inject_qdq': needs ranges, which no earlier pass provided; run calibrate first");
  const Pass reversed = inject_qdq(targets::ort_cpu_x64) | calibrate(samples);
  CHECK_THROWS_AS(reversed.run(model), Error);
  CHECK(ops(model.graph()) == "Conv");
}

TEST_CASE("known ranges stand in for calibration", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  (with_ranges(Ranges{{"x", {0, 5.1f}}, {"y", {0, 1}}}) | inject_qdq(targets::ort_cpu_x64)).run(model);
  CHECK(qparams_of(*model.graph().first_node()) == QParams{0.02f, 0, DType::u8});
}

TEST_CASE("calibration without a sample is an error", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(calibrate(std::vector<Feeds>()).run(model), "pass 'calibrate': there is no sample to calibrate on");
}

TEST_CASE("calibration tells how far it is, and can be cancelled", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  std::vector<std::size_t> done;
  Context context;
  context.progress = [&](const Progress& at) {
    done.push_back(at.done);
    CHECK(at.total == 2);
  };
  calibrate(samples).run(model, context);
  CHECK(done == std::vector<std::size_t>{0, 1, 2});
  context.facts.withdraw<Ranges>();
  context.cancelled = [] { return true; };
  CHECK(calibrate(samples).run(model, context).outcome == Outcome::cancelled);
  CHECK(context.facts.find<Ranges>() == nullptr);
}

TEST_CASE("calibration runs in any executor") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  /// Finds every tensor to be of the numbers -1 and 2.
  struct Pretender {
    std::vector<Tensor> run(const Feeds&, const Fetches&) { return {}; }
    void observe(const Feeds&, const Fetches& fetches, const Observer& observer) {
      for (std::size_t i = 0; i < fetches.size(); ++i) observer(i, Tensor::of<float>({2}, {-1, 2}));
    }
  };
  Context context;
  calibrate(samples, MinMax(), [](const Graph&) { return Pretender(); }).run(model, context);
  CHECK(*context.facts.find<Ranges>() == Ranges{{"x", {-1, 2}}, {"y", {-1, 2}}});
}

TEST_CASE("calibration takes any observer, and samples from a function", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  const auto next = [left = samples]() mutable -> std::optional<Sample> {
    if (left.empty()) return std::nullopt;
    Sample sample(left.back());
    left.pop_back();
    return sample;
  };
  Context context;
  calibrate(SampleStream(next), MovingAverage{0.5}).run(model, context);
  CHECK(context.facts.find<Ranges>()->at("x").max == Approx(2.55 / 2));
}
