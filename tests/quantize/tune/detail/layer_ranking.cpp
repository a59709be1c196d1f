#include <graft/quantize/tune/detail/layer_ranking.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
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

namespace {

using Names = std::set<std::string, std::less<>>;

struct Measured {
  std::vector<double> noises;
  std::size_t times = 0, told = 0, total = 0;
};

/// Of so many layers, each of which adds the noise of its place.
Measured measured(std::size_t count, const std::map<std::size_t, double>& noise) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  Measured result;
  const auto noise_of = [&](std::span<const std::string> layers) {
    ++result.times;
    double sum = 0;
    for (const std::string& layer : layers) {
      const auto known = noise.find(std::stoul(layer));
      sum += known != noise.end() ? known->second : 0.25;
    }
    return sum;
  };
  result.noises = detail::noises_of_layers(names, noise_of, [&](std::size_t done, std::size_t total) {
    CHECK(done == ++result.told);
    result.total = total;
  });
  return result;
}

std::vector<std::string> ranked(std::vector<detail::NoisyLayer> layers, const std::map<std::string, double>& prices) {
  std::size_t asked = 0;
  const auto quantized_at = [&](double price) {
    ++asked;
    Names names;
    for (const auto& [name, most] : prices)
      if (price < most) names.insert(name);
    return names;
  };
  const Context context;
  std::vector<std::string> names = detail::rank(std::move(layers), quantized_at, context);
  CHECK(asked <= 48);
  return names;
}

}  // namespace

TEST_CASE("each of a few layers is measured alone", "[quantize]") {
  const Measured few = measured(3, {{1, 7}});
  CHECK(few.noises == std::vector<double>{0.25, 7, 0.25});
  CHECK(few.times == 3);
  CHECK(measured(0, {}).noises.empty());
}

TEST_CASE("of many layers neighbours are measured together, except the noisiest", "[quantize]") {
  for (const std::size_t count : {100u, 777u, 1000u}) {
    const Measured many = measured(count, {{0, 9}, {55, 7}, {count - 1, 8}});
    CHECK(many.times <= detail::usual_measurements + 8);
    CHECK(many.times == many.told);
    CHECK(many.told <= many.total);
    CHECK(many.noises.size() == count);
    CHECK(many.noises[0] == 9);
    CHECK(many.noises[55] == 7);
    CHECK(many.noises[count - 1] == 8);
    CHECK(many.noises[count / 2] == 0.25);
  }
}

TEST_CASE("layers are ranked by the price of noise at which they no longer pay", "[quantize]") {
  const std::vector<detail::NoisyLayer> layers{{"a", 1}, {"b", 5}, {"c", 2}, {"d", 3}};
  CHECK(ranked(layers, {{"a", 1e3}, {"b", 1e9}, {"c", 1e6}, {"d", 1e12}}) ==
        std::vector<std::string>{"a", "c", "b", "d"});
  CHECK(ranked(layers, {{"a", 1e3}, {"b", 1e3}, {"c", 1e3}, {"d", 1e2}}) ==
        std::vector<std::string>{"d", "b", "c", "a"});
  CHECK(ranked({}, {}).empty());
}

TEST_CASE("where no price turns layers back, the noisiest come first", "[quantize]") {
  const std::map<std::string, double> prices{{"a", INFINITY}, {"b", INFINITY}, {"c", 1e6}};
  CHECK(ranked({{"a", 1}, {"b", 5}, {"c", 0.5}}, prices) == std::vector<std::string>{"c", "b", "a"});
}
