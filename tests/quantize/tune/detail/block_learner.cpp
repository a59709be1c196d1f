#include <graft/quantize/tune/detail/block_learner.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/model.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using detail::StepRule;

namespace {

/// A product by a weight [4, 3] that is learned, with a scale for each column, and what follows it.
struct Block {
  explicit Block(const std::string& rest)
      : model(graph("x: f32[8,4]; w = f32[4,3] random; a = MatMul(x, w); " + rest)),
        nodes(nodes_of(model.graph())),
        weight(model.graph().find("w")),
        tape(nodes, *model.graph().outputs()[0], std::vector{weight}) {
    for (const detail::BlockTape::Quantizer& quantizer : tape.quantizers()) start.scales.push_back(quantizer.scale);
    detail::SoftWeight& soft = start.weights.emplace_back();
    soft = {.weight = weight, .dims = {4, 3}, .scales = {0.5F, 1, -0.25F}};
    for (std::uint32_t i = 0; i < 12; ++i) {
      soft.lower.push_back(static_cast<float>(i % 5) - 3);
      soft.share.push_back(0.5F);
      soft.scale_of.push_back(i % 3);
    }
  }

  static std::vector<Node*> nodes_of(Graph& graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) nodes.push_back(&node);
    return nodes;
  }

  /// Random inputs, and the outputs of the block with these weights.
  std::vector<detail::BlockSample> samples(const detail::LearnedBlock& wanted) const {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<detail::BlockSample> all;
    for (int i = 0; i < 6; ++i) {
      std::vector<float> x(32);
      for (float& value : x) value = normal(random);
      detail::BlockSample& sample = all.emplace_back(detail::BlockSample{{Tensor::of<float>({8, 4}, x)}, {}});
      sample.wanted = tape.output(sample.inputs, wanted.rounded());
    }
    return all;
  }

  detail::LearnedBlock learned(const std::vector<detail::BlockSample>& samples, const std::vector<StepRule>& rules,
                               std::size_t steps, std::uint32_t seed = 0) const {
    const detail::BlockSchedule schedule{
        .steps = steps, .seed = seed, .drop = 0, .progress = [&](std::size_t step) {
          return static_cast<double>(step) / static_cast<double>(steps);
        }};
    return learn_block(tape, start, rules, samples, schedule, {}, nullptr);
  }

  Model model;
  std::vector<Node*> nodes;
  const Value* weight;
  detail::BlockTape tape;
  detail::LearnedBlock start{};
};

}  // namespace

TEST_CASE("the shares that the wanted outputs were made with are found", "[quantize]") {
  const Block block("y = Neg(a)");
  REQUIRE(block.tape.verdict());
  detail::LearnedBlock wanted = block.start;
  for (std::size_t i = 0; i < 12; ++i) wanted.weights[0].share[i] = i % 4 < 2 ? 0.0F : 1.0F;
  const std::vector<detail::BlockSample> samples = block.samples(wanted);
  const detail::LearnedBlock found = block.learned(samples, {}, 300);
  for (std::size_t i = 0; i < 12; ++i) CHECK(found.weights[0].code(i) == wanted.weights[0].code(i));
  CHECK(block_error(block.tape, wanted, samples, {}, nullptr) == 0);
  CHECK(block_error(block.tape, found, samples, {}, nullptr) < 0.01);
  CHECK(block_error(block.tape, block.start, samples, {}, nullptr) > 0.05);
  CHECK(block.learned(samples, {}, 20, 1).weights[0].scales != block.learned(samples, {}, 20, 2).weights[0].scales);
}

TEST_CASE("biases of zero are learned", "[quantize]") {
  Block block("b = f32[3] {0, 0, 0}; y = Add(a, b)");
  std::vector<detail::BlockSample> samples = block.samples(block.start);
  const Value* const bias = block.model.graph().find("b");
  block.start.weights[0].bias = bias;
  block.start.weights[0].biases = {0, 0, 0};
  const detail::BlockTape tape(block.nodes, *block.model.graph().outputs()[0], std::vector{block.weight, bias});
  REQUIRE(tape.verdict());
  detail::LearnedBlock wanted = block.start;
  wanted.weights[0].biases = {0.1F, 0, -0.1F};
  for (detail::BlockSample& sample : samples) sample.wanted = tape.output(sample.inputs, wanted.rounded());
  const detail::BlockSchedule schedule{.steps = 50, .seed = 0, .drop = 0, .progress = [](std::size_t step) {
    return static_cast<double>(step) / 50;
  }};
  const detail::LearnedBlock found = learn_block(tape, block.start, {}, samples, schedule, {}, nullptr);
  CHECK(found.weights[0].biases[0] > 0.02F);
  CHECK(found.weights[0].biases[2] < -0.02F);
}

TEST_CASE("the scale of a quantizer moves as its rule allows", "[quantize]") {
  // It saturates: a greater scale, for which the wanted outputs were made, loses less.
  const Block block("y = DequantizeLinear(QuantizeLinear(a, f32[] 0.002, i8[] 0), f32[] 0.002, i8[] 0)");
  REQUIRE(block.tape.verdict());
  detail::LearnedBlock wanted = block.start;
  wanted.scales = {0.1F};
  const std::vector<detail::BlockSample> samples = block.samples(wanted);
  CHECK(block.learned(samples, {StepRule::fixed}, 50).scales == block.start.scales);
  CHECK(block.learned(samples, {StepRule::may_shrink}, 50).scales == block.start.scales);
  CHECK(block.learned(samples, {StepRule::free}, 50).scales[0] > 1.02F * block.start.scales[0]);
  // Here a smaller one does.
  Block coarse("y = DequantizeLinear(QuantizeLinear(a, f32[] 2, i8[] 0), f32[] 2, i8[] 0)");
  wanted.scales = {1.5F};
  CHECK(coarse.learned(coarse.samples(wanted), {StepRule::may_shrink}, 50).scales[0] < 2);
}

TEST_CASE("the error of a block is a share of the variance of its wanted outputs", "[quantize]") {
  const Block block("y = Neg(a)");
  std::vector<detail::BlockSample> samples = block.samples(block.start);
  samples.resize(1);
  const std::vector<float> got = samples[0].wanted.to<float>();
  std::vector<float> wanted = got;
  wanted[0] += 2;
  double mean = 0, variance = 0;
  for (const float value : wanted) mean += value / 24.0;
  for (const float value : wanted) variance += (value - mean) * (value - mean);
  samples[0].wanted = Tensor::of<float>({8, 3}, wanted);
  CHECK(block_error(block.tape, block.start, samples, {}, nullptr) == Approx(4 / variance));
}

TEST_CASE("other ranks read the sample that one has sent", "[quantize]") {
  const detail::BlockSample sent{{Tensor::of<float>({1, 2}, {1, -2.5F}), Tensor::scalar<std::int64_t>(7),
                                  Tensor(DType::f32, {0, 3})},
                                 Tensor::of<float>({3}, {1, 2, 3})};
  detail::BlockSample read{{Tensor()}, {}};
  from_bytes(to_bytes(sent), read);
  REQUIRE(read.inputs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(read.inputs[i].same_bytes(sent.inputs[i]));
  CHECK(read.wanted.same_bytes(sent.wanted));
  CHECK_THROWS_AS(from_bytes("", read), Error);
}
