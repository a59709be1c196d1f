// The passes of a quantization in any order, and without any of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize.hpp>
#include <graft/simplify/raise_opset.hpp>

#include "nets.hpp"

using namespace graft;

namespace {

/// Conv, Clip, Conv, Relu, Add, all calibrated on the input that they are judged by.
Model float_model() {
  Net net(11);
  Value& a = net.clip(net.conv(*net.x, "y"), 0, 1, "a");
  Value& b = net.op("Relu", {&net.conv(a, "z")}, "b");
  return net.build({&net.op("Add", {&a, &b}, "sum")});
}

Feeds sample() {
  std::mt19937 random(9);
  std::vector<float> values(32);
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
  return {{"x", Tensor::of<float>({1, 2, 4, 4}, values)}};
}

std::vector<float> results(const Model& model) { return Evaluator(model.graph()).run(sample())[0].to<float>(); }

std::vector<Pass> stages() {
  const Target& target = targets::ort_cpu_x64;
  return {raise_opset(13), calibrate(std::vector<Feeds>{sample()}), inject_qdq(target, Placement::naive),
          quantize_weights(Granularity::per_channel, target), commute_dq_past_activation(target)};
}

/// Runs the stages: a right result, or an error that names what is missing before anything was done.
void check(const std::vector<Pass>& passes, const std::vector<float>& wanted) {
  Pass pipeline = passes[0];
  for (std::size_t i = 1; i < passes.size(); ++i) pipeline = pipeline | passes[i];
  INFO(pipeline.name());
  Model model = float_model();
  try {
    pipeline.run(model);
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool named =
        text.find("needs ranges, which nothing in front of it makes; run calibrate first") != text.npos ||
        text.find("needs opset 13, which nothing in front of it makes; run raise_opset first") != text.npos;
    INFO(text);
    CHECK(named);
    CHECK(ops(model.graph()) == "Conv Clip Conv Relu Add");
    return;
  }
  const std::vector<float> got = results(model);
  for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == Approx(wanted[i]).margin(0.03));
  CHECK_FALSE(audit(model.graph(), targets::ort_cpu_x64).has_errors());
}

}  // namespace

TEST_CASE("the stages of a quantization give a right result in any order, or an error that names what is missing",
          "[quantize]") {
  const std::vector<float> wanted = results(float_model());
  const std::vector<Pass> all = stages();
  std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
  do {
    std::vector<Pass> passes;
    for (const std::size_t i : order) passes.push_back(all[i]);
    check(passes, wanted);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("any stages of a quantization may be left out, or an error names what is missing", "[quantize]") {
  const std::vector<float> wanted = results(float_model());
  const std::vector<Pass> all = stages();
  for (unsigned chosen = 1; chosen < 32; ++chosen) {
    std::vector<Pass> passes;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((chosen >> i & 1) != 0) passes.push_back(all[i]);
    check(passes, wanted);
  }
}

TEST_CASE("the whole pipeline puts every Conv into integers", "[quantize]") {
  Model model = float_model();
  const std::vector<Pass> all = stages();
  (all[0] | all[1] | all[2] | all[3] | all[4]).run(model);
  CHECK(audit(model.graph(), targets::ort_cpu_x64).fused() == 2);
  CHECK(model.ir_version() >= 7);
}

TEST_CASE("the same model gives the same bytes again", "[quantize]") {
  std::vector<std::string> bytes;
  for (int i = 0; i < 2; ++i) {
    Model model = float_model();
    const std::vector<Pass> all = stages();
    (all[0] | all[1] | all[2] | all[3] | all[4]).run(model);
    bytes.push_back(model.serialize());
  }
  CHECK(bytes[0] == bytes[1]);
}
