#include "topologies/standardize.hpp"

#include <catch2/catch.hpp>

#include "topologies/network.hpp"
#include "topologies/noise.hpp"

namespace {

void check_standard(const graft::Tensor& x) {
  const ChannelMoments moments(x);
  for (const float mean : moments.mean) CHECK(mean == Approx(0).margin(1e-4));
  for (const float deviation : moments.deviation) CHECK(deviation == Approx(1).margin(1e-3));
}

}  // namespace

TEST_CASE("the moments of channels are those of their values in all images") {
  const ChannelMoments moments(graft::Tensor::of<float>({2, 2, 2}, {1, 3, 10, 10, 5, 7, 10, 10}));
  CHECK(moments.mean == std::vector<float>{4, 10});
  CHECK(moments.deviation[0] == Approx(std::sqrt(5)));
  CHECK(moments.deviation[1] == 0);
}

TEST_CASE("standardized, convolutions and what BatchNormalization reads are of mean 0 and variance 1") {
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
  check_standard(seen[0]);
  const ChannelMoments moments(seen[1]);
  const std::vector<float> scales = values[2]->producer()->input(1)->constant()->to<float>();
  for (std::size_t c = 0; c < scales.size(); ++c) {
    CHECK(moments.mean[c] == Approx(0).margin(1e-4));
    CHECK(moments.deviation[c] == Approx(scales[c]).epsilon(1e-3));
  }
  for (const float score : seen[2].data<float>()) CHECK(score == Approx(0).margin(1e-4));  // centred only
}
