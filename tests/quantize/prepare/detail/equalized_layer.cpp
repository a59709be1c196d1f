#include <graft/quantize/prepare/detail/equalized_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/dims.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

std::vector<double> powers_of_two(std::size_t count, std::mt19937& random) {
  std::vector<double> factors(count);
  for (double& factor : factors) factor = std::ldexp(1.0, static_cast<int>(random() % 9) - 4);  // exact in float
  return factors;
}

}  // namespace

TEST_CASE("greatest magnitudes of each channel are those of its weights times their factors", "[quantize]") {
  const std::vector<std::pair<std::string, Dims>> cases{
      {"x: f32[1,40,5]; w: f32[6,20,3]; y = Conv(x, w) {group=2}", {6, 20, 3}},
      {"x: f32[1,70,5,5]; w: f32[10,35,1,1]; y = Conv(x, w) {group=2}", {10, 35, 1, 1}},
      {"x: f32[1,4,5]; w: f32[4,1,2]; y = Conv(x, w) {group=4}", {4, 1, 2}},
      {"x: f32[1,21]; w: f32[21,34]; y = Gemm(x, w)", {21, 34}},
      {"x: f32[1,34]; w: f32[21,34]; y = Gemm(x, w) {transB=1}", {21, 34}},
  };
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const auto& [text, dims] : cases) {
    CAPTURE(text);
    const Model model = graph(text);
    const WeightChannels channels(*model.graph().first_node(), dims);
    std::size_t count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
    std::vector<float> weights(count);
    for (float& weight : weights) weight = normal(random);
    const std::vector<double> of_inputs = powers_of_two(channels.inputs(), random),
                              of_outputs = powers_of_two(channels.outputs(), random);
    std::vector<double> outputs(channels.outputs()), inputs(channels.inputs());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t out = channels.output(i), in = channels.input(i);
      outputs[out] = std::max(outputs[out], std::abs(double{weights[i]}) * of_inputs[in]);
      inputs[in] = std::max(inputs[in], std::abs(double{weights[i]}) * of_outputs[out]);
    }
    const detail::JointMagnitudes magnitudes(Tensor::of<float>(dims, weights), channels);
    CHECK(magnitudes.of_outputs(of_inputs) == outputs);
    CHECK(magnitudes.of_inputs(of_outputs) == inputs);
  }
}
