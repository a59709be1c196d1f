// Random graphs rarely have two convolutions that fit together. These do.
#include <graft/quantize/prepare/join_added_convs.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// z = Conv(x) + Conv(y), one of which may have strides, and what may stand around them.
std::string added_convs(std::mt19937& random) {
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const unsigned channels[] = {1 + below(5), 1 + below(5)};
  const unsigned results = below(5) == 0 ? 1 + below(3) : channels[0] + channels[1] + below(4);  // else more is made
  const unsigned height = 1 + below(5), width = 1 + below(5), strides = below(3);  // 0: none has
  const std::string dtype = below(6) == 0 ? "f16" : "f32";
  std::string text, sum[2];
  for (unsigned i = 0; i < 2; ++i) {
    const std::string id = std::to_string(i);
    const unsigned by = strides == i + 1 ? 2 : 1;
    const auto of = [&](const std::string& dims) { return dtype + "[" + dims + "]"; };
    const std::string taken = std::to_string(channels[i]), made = std::to_string(results);
    text += "x" + id + ": " +
            of("1," + taken + "," + std::to_string(by * height - by + 1) + "," + std::to_string(by * width - by + 1)) +
            "; w" + id + " = " + of(made + "," + taken + ",1,1") + " random; b" + id + " = " + of(made) + " random; ";
    sum[i] = "Conv(x" + id + ", w" + id + (below(3) == 0 ? "" : ", b" + id) + ")" + (by == 2 ? " {strides=[2,2]}" : "");
  }
  if (below(2) == 0) std::swap(sum[0], sum[1]);
  const std::string before = below(4) == 0 ? "Relu(" + sum[0] + ")" : sum[0];  // then they do not fit
  return text + "s = Add(" + before + ", " + sum[1] + "); z = " + (below(2) == 0 ? "Relu(s)" : "Identity(s)");
}

Tensor values(const Value& input, std::mt19937& random) {
  std::vector<double> drawn;
  for (std::int64_t i = 0; i < element_count(*input.shape().dims()); ++i)
    drawn.push_back(static_cast<double>(random() % 2001) / 1000 - 1);
  return Tensor::of(input.dtype(), *input.shape().dims(), drawn);
}

}  // namespace

TEST_CASE("convolutions that are added compute the same as one") {
  std::size_t joined = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string text = added_convs(random);
    INFO(seed << ": " << text);
    Model before = graph(text), after = before.clone();
    Context context;
    infer_shapes(after.graph());
    context.facts.provide(Ranges{{"x0", {-1, 1}}, {"x1", {-1, static_cast<float>(1 + random() % 6)}}});
    joined += join_added_convs(Granularity::per_channel, targets::ort_cpu_x64).run(after, context).changes;
    CHECK(verify(after).empty());
    Feeds feeds;
    for (const Value* const input : before.graph().inputs()) {
      const Tensor tensor = values(*input, random);
      feeds.emplace_back(std::string(input->name()), tensor);
    }
    const std::vector<double> expected = Evaluator(before.graph()).run(feeds)[0].to<double>();
    const std::vector<double> actual = Evaluator(after.graph()).run(feeds)[0].to<double>();
    REQUIRE(actual.size() == expected.size());
    const double tolerance = text.find("f16") != std::string::npos ? 2e-2 : 1e-5;
    for (std::size_t i = 0; i < actual.size(); ++i) CHECK(std::abs(actual[i] - expected[i]) <= tolerance);
  }
  CHECK(joined > 50);
}
