#include <graft/quantize/target/weight_form.hpp>

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

struct Quantized {
  explicit Quantized(const WeightForm& form, std::vector<float> values = {1.27f, -0.5f, 0.254f, 0.1f})
      : model(Net().build({})) {
    Net net;
    Value& y = net.op("Conv", {net.x, &net.constant("w", values, {2, 2, 1, 1})}, "y");
    model = net.build({&y});
    quantize_weights(form, targets::ort_cpu_x64).run(model);
    weight = quantized_constant(*node_making(model, "y").input(1)->producer());
  }
  std::vector<int> codes() const { return weight->data.to<int>(); }

  Model model;
  std::optional<QuantizedTensor> weight;
};

}  // namespace

TEST_CASE("a granularity is a form of as many bits as the target takes, without clipping", "[quantize]") {
  const WeightForm form = Granularity::per_tensor;
  Net net;
  const Model convs = net.build({&net.conv(*net.x)});
  const Node& conv = node_making(convs, "y");
  CHECK(form.bits_of(conv, targets::ort_cpu_x64) == 8);
  CHECK(form.bits_of(conv, targets::ort_cpu_avx2) == 7);
  CHECK(WeightForm(Granularity::per_tensor, 8).bits_of(conv, targets::ort_cpu_avx2) == 8);
  CHECK(form.clipping == Clipping::none);
}

TEST_CASE("weights of fewer bits are int8 in a narrower range", "[quantize]") {
  const Quantized seven({Granularity::per_tensor, 7}), four({Granularity::per_channel, 4});
  CHECK(seven.weight->data.dtype() == DType::i8);
  CHECK(seven.weight->scale.item<float>() == static_cast<float>(double{1.27f} / 63));
  CHECK(seven.codes() == std::vector<int>{63, -25, 13, 5});
  CHECK(four.codes() == std::vector<int>{7, -3, 7, 3});
  for (const int bits : {-1, 1, 9, 100}) {
    CHECK_THROWS_WITH(Quantized({Granularity::per_tensor, bits}),
                      Catch::Contains("w: " + std::to_string(bits) + " bits, not 2 to 8 as i8 has"));
  }
}

TEST_CASE("clipped weights reach the greatest code, and none goes beyond", "[quantize]") {
  // At 2 bits the error (1.2 - t)^2 + 2 (0.8 - t)^2 is least at t = 2.8 / 3, and 1.28 where 0.8 is rounded to 0.
  const Quantized whole({Granularity::per_tensor, 2, Clipping::squared_error}, {1.2f, -0.8f, 0.8f, 0.1f});
  CHECK(whole.weight->scale.item<float>() == Approx(2.8 / 3).margin(0.006));
  CHECK(whole.codes() == std::vector<int>{1, -1, 1, 0});
  // (1.2 - t)^2 + (0.8 - t)^2 is least at 1.
  const Quantized channels({Granularity::per_channel, 2, Clipping::squared_error}, {1.2f, -0.8f, 0.8f, 0.1f});
  CHECK(channels.weight->scale.to<float>()[0] == Approx(1).margin(0.006));
  CHECK(channels.weight->scale.to<float>()[1] == 0.8f);
  CHECK(channels.codes() == std::vector<int>{1, -1, 1, 0});
}
