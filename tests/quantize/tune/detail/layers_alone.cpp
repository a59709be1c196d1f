#include <graft/quantize/tune/detail/layers_alone.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// Convolutions, activations, sums and movements in random order, some with several readers.
std::string random_net(std::mt19937& random) {
  std::vector<std::string> values{"x"};
  std::string text = "x: f32[1,4,6,6]; ";
  const auto any = [&] { return values[random() % values.size()]; };
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string name = "v" + std::to_string(i);
    const std::string conv =
        "w" + name + " = f32[4,4,3,3] random; " + name + " = Conv(" + any() + ", w" + name + ") {pads=[1,1,1,1]}; ";
    const std::string ops[] = {conv,
                               conv,
                               name + " = Relu(" + any() + "); ",
                               name + " = Add(" + any() + ", " + any() + "); ",
                               name + " = MaxPool(" + any() + ") {kernel_shape=[3,3], pads=[1,1,1,1]}; ",
                               name + " = Sigmoid(" + any() + "); "};
    text += ops[random() % std::size(ops)];
    values.push_back(name);
  }
  return text;
}

}  // namespace

TEST_CASE("layers alone, run from the first that is quantized on, make what whole runs make", "[quantize]") {
  const Target& target = targets::ort_cpu_x64;
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_net(random);
    INFO(seed << ": " << text);
    Model model = graph(text);
    std::vector<Feeds> samples;
    for (int i = 0; i < 2; ++i) {
      std::vector<float> values(144);
      for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
      samples.push_back({{"x", Tensor::of<float>({1, 4, 6, 6}, values)}});
    }
    Context context;
    calibrate(samples).run(model, context);
    const Pass quantize = inject_qdq(target, seed % 2 == 0 ? Placement::all_supported : Placement::conv_only) |
                          quantize_weights(Granularity::per_channel, target);
    const detail::Requantizer requantizer(model.graph(), quantize, context);
    const std::vector<std::string> names = requantizer.quantized_nodes(requantizer.quantized({}));
    const detail::LayersAlone::Names all(names.begin(), names.end());
    detail::LayersAlone alone(requantizer, all, samples, {});
    std::vector<std::string> order = names;
    if (seed % 4 == 3) std::shuffle(order.begin(), order.end(), random);
    for (const std::string& name : order) {
      detail::LayersAlone::Names others = all;
      others.erase(name);
      const Model copy = requantizer.quantized(others, true);
      const Evaluator evaluator(copy.graph());
      const bool is_changed = alone.run({name}, [&](std::size_t sample, std::span<const Tensor> outputs) {
        const std::vector<Tensor> whole = evaluator.run(samples[sample]);
        REQUIRE(outputs.size() == whole.size());
        for (std::size_t i = 0; i < whole.size(); ++i) CHECK(outputs[i].same_bytes(whole[i]));
        ++compared;
      });
      CHECK(is_changed == alone.is_changed_by({name}));
    }
    CHECK_FALSE(alone.run({}, [](std::size_t, std::span<const Tensor>) {}));
  }
  CHECK(compared > 100);
}
