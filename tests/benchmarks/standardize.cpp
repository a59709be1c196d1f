#include "topologies/standardize.hpp"

#include <catch2/catch.hpp>

#include "topologies/network.hpp"
#include "topologies/noise.hpp"

namespace {

/// Of each channel the mean 1 and this deviation.
void check_moments(const graft::Tensor& x, const std::vector<float>& deviations) {
  const ChannelMoments moments(x);
  for (const float mean : moments.mean) CHECK(mean == Approx(1).epsilon(1e-3));
  REQUIRE(moments.deviation.size() == deviations.size());
  for (std::size_t c = 0; c < deviations.size(); ++c)
    CHECK(moments.deviation[c] == Approx(deviations[c]).epsilon(1e-3));
}

}  // namespace

TEST_CASE("the moments of channels are those of their values in all images") {
  const ChannelMoments moments(graft::Tensor::of<float>({2, 2, 2}, {1, 3, 10, 10, 5, 7, 10, 10}));
  CHECK(moments.mean == std::vector<float>{4, 10});
  CHECK(moments.deviation[0] == Approx(std::sqrt(5)));
  CHECK(moments.deviation[1] == 0);
}

TEST_CASE("standardized, convolutions have mean and variance 1, and BatchNormalization knows those of its input") {
  Network net("net", 16);
  const Maps convolved = net.conv(net.image(), 4, 3);
  const Maps ready = net.conv_without_bias(net.relu(convolved), 4, 3);
  const Maps normalized = net.batch_normalization(ready);
  net.classify(normalized, 3);
  graft::Model model = net.build();
  const graft::Tensor image = structured_noise(16, 1);
  Standardizer(model).run(image);

  graft::Graph& graph = model.graph();
  std::vector<const graft::Value*> values;
  for (const graft::Node& node : graph.nodes())
    if (node.is("Conv") || node.is("BatchNormalization") || node.is("Gemm")) values.push_back(node.output(0));
  REQUIRE(values.size() == 4);
  const std::vector<graft::Tensor> seen =
      graft::Evaluator(graph).run({{"image", image}}, {values[0], values[2], values[3]});
  check_moments(seen[0], {1, 1, 1, 1});
  check_moments(seen[1], values[2]->producer()->input(1)->constant()->to<float>());
  for (const float score : seen[2].data<float>()) CHECK(score == Approx(0).margin(1e-4));  // centred only
}
