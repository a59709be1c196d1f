// The passes of a quantization in any order, and without any of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/quantize.hpp>
#include <graft/simplify.hpp>
#include <graft/testing/isomorphic.hpp>

#include "quantize/nets.hpp"
#include "support/data.hpp"

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

std::vector<Pass> stages(Placement placement = Placement::naive, const Target& target = targets::ort_cpu_x64) {
  return {raise_opset(13), calibrate(std::vector<Feeds>{sample()}), inject_qdq(target, placement),
          quantize_weights(Granularity::per_channel, target), commute_dq_past_activation(target)};
}

/// What each stage of graft-quantize has something to do on: a weight that a caller could override, a weight to fold,
/// a BatchNormalization, a bias that is an Add, an opset below 13.
Model raw_model() {
  Net net(11);
  Value& scaled = net.op("Mul", {&net.weight("raw"), &net.scalar("half", 0.5f)}, "scaled");
  Value& normal = net.op("BatchNormalization",
                         {&net.op("Conv", {net.x, &net.weight("open")}, "c"), &net.constant("scale", {0.8f, 1.2f}, {2}),
                          &net.constant("shift", {0.1f, 0}, {2}), &net.constant("mean", {0.1f, -0.2f}, {2}),
                          &net.constant("variance", {0.9f, 1.3f}, {2})},
                         "n");
  Value& a = net.clip(normal, 0, 1, "a");
  Value& bias = net.constant("bias", {0.2f, -0.1f}, {1, 2, 1, 1});
  Value& biased = net.op("Add", {&net.op("Conv", {&a, &scaled}, "d"), &bias}, "e");
  onnx::ModelProto proto = net.build({&net.op("Add", {&a, &net.op("Relu", {&biased}, "b")}, "sum")}).commit();
  onnx::ValueInfoProto& open = *proto.mutable_graph()->add_input();
  open.set_name("open");
  *open.mutable_type() = tensor_type(DType::f32, Shape({2, 2, 1, 1}));
  return Model(std::move(proto));
}

/// A range for every tensor that follows from its name alone, some of one sign, some wide.
Ranges made_up_ranges(const Graph& graph) {
  Ranges ranges;
  for (const Value* const value : observable(graph)) {
    std::uint32_t hash = 2166136261u;
    for (const char c : value->name()) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    std::mt19937 random(hash);
    const float min = random() % 4 == 0 ? 0 : -0.01f * static_cast<float>(1 + random() % 1000);
    ranges.set(value->name(), {min, 0.01f * static_cast<float>(1 + random() % 1000)});
  }
  return ranges;
}

/// The stages of graft-quantize, those that only tidy up as one.
std::vector<Pass> program() {
  const Target& target = targets::ort_cpu_x64;
  const Pass tidy =
      unique_node_names() | fold_constants() | fixpoint(bn_into_conv, add_into_conv_bias) | eliminate_dead_code();
  return {freeze_inputs(), raise_opset(13), pass("tidy", tidy), calibrate(std::vector<Feeds>{sample()}),
          inject_qdq(target, Placement::naive), commute_dq_past_activation(target),
          quantize_weights(Granularity::per_channel, target)};
}

Pass joined(const std::vector<Pass>& passes) {
  Pass pipeline = passes[0];
  for (std::size_t i = 1; i < passes.size(); ++i) pipeline = pipeline | passes[i];
  return pipeline;
}

/// Runs the stages: a right result, or an error that names what is missing before anything was done.
void check(const std::vector<Pass>& passes, const std::vector<float>& wanted, const Target& target) {
  const Pass pipeline = joined(passes);
  INFO(pipeline.name());
  Model model = float_model();
  try {
    pipeline.run(model);
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool named = text.find("needs ranges, which no earlier pass provided; run calibrate first") != text.npos ||
                       text.find("needs opset 13, which no earlier pass provided; run raise_opset first") != text.npos;
    INFO(text);
    CHECK(named);
    CHECK(ops(model.graph()) == "Conv Clip Conv Relu Add");
    return;
  }
  const std::vector<float> got = results(model);
  for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == Approx(wanted[i]).margin(0.03));
  INFO(target.name);
  // A backend may leave to another one what is quantized by half.
  for (const OperatorOutcome& each : audit(model.graph(), target).findings)
    CHECK((each.severity != Severity::error || each.form == OperatorForm::left_out));
}

/// Whatever the placement, for each target.
void for_all_stages(const std::function<void(const std::vector<Pass>&, const Target&)>& f) {
  for (const Target* const target : targets::all)
    for (const Placement placement : {Placement::naive, Placement::fusion_aware})
      f(stages(placement, *target), *target);
}

}  // namespace

TEST_CASE("the stages of a quantization give a right result in any order, or an error that names what is missing",
          "[quantize]") {
  const std::vector<float> wanted = results(float_model());
  for_all_stages([&](const std::vector<Pass>& all, const Target& target) {
    std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
    do {
      std::vector<Pass> passes;
      for (const std::size_t i : order) passes.push_back(all[i]);
      check(passes, wanted, target);
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

TEST_CASE("any stages of a quantization may be left out, or an error names what is missing", "[quantize]") {
  const std::vector<float> wanted = results(float_model());
  for_all_stages([&](const std::vector<Pass>& all, const Target& target) {
    for (unsigned chosen = 1; chosen < 32; ++chosen) {
      std::vector<Pass> passes;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((chosen >> i & 1) != 0) passes.push_back(all[i]);
      check(passes, wanted, target);
    }
  });
}

TEST_CASE("the stages of graft-quantize give a right result in any order, with any left out, or say what is missing",
          "[quantize][slow]") {
  const onnx::ModelProto raw = raw_model().proto();
  const std::vector<float> wanted = results(Model(raw));
  const std::vector<Pass> all = program();
  std::vector<std::size_t> order;
  std::size_t right = 0, refused = 0;
  const std::function<void()> go = [&] {
    if (!order.empty()) {
      std::vector<Pass> passes;
      for (const std::size_t i : order) passes.push_back(all[i]);
      const Pass pipeline = joined(passes);
      INFO(pipeline.name());
      Model model(raw);
      try {
        pipeline.run(model);
        const std::vector<float> got = results(model);
        for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == Approx(wanted[i]).margin(0.05));
        REQUIRE_FALSE(audit(model.graph(), targets::ort_cpu_x64).has_errors());
        REQUIRE(verify(model).empty());
        ++right;
      } catch (const Error& error) {
        const std::string text = error.what();
        INFO(text);
        const bool named = text.find("run calibrate first") != text.npos ||
                           text.find("run raise_opset first") != text.npos ||
                           text.find("its range is not known: calibrate") != text.npos;
        REQUIRE(named);
        ++refused;
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::find(order.begin(), order.end(), i) != order.end()) continue;
      order.push_back(i);
      go();
      order.pop_back();
    }
  };
  go();
  CHECK(right + refused == 13699);  // the ordered choices of seven
  CHECK(right > 2000);
  CHECK(refused > 2000);
}

TEST_CASE("the stages of graft-quantize in their order put every Conv into integers", "[quantize]") {
  Model model = raw_model();
  joined(program()).run(model);
  CHECK(ops(model.graph()) ==
        "QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv Clip QuantizeLinear DequantizeLinear "
        "DequantizeLinear DequantizeLinear Conv Relu QuantizeLinear DequantizeLinear Add");
  CHECK(audit(model.graph(), targets::ort_cpu_x64).fused() == 2);
}

TEST_CASE("naive placement and commutation give fusion-aware placement of whole nets, whatever the ranges",
          "[quantize][slow][data]") {
  TEST_DATA(folder, "models");
  for (const std::string file : {"mobilenetv2.onnx", "squeezenet.onnx", "ultraface_rfb320.onnx", "mnist.onnx",
                                 "resnet50v2.onnx"}) {
    if (!std::filesystem::exists(folder / file)) continue;
    Model prepared = Model::load(folder / file);
    (freeze_inputs() | raise_opset(13) | unique_node_names() | fold_constants() |
     fixpoint(bn_into_conv, add_into_conv_bias) | eliminate_dead_code())
        .run(prepared);
    const Ranges known = made_up_ranges(prepared.graph());
    const onnx::ModelProto proto = prepared.commit();
    for (const Target* const target : targets::all) {
      for (const Granularity granularity : {Granularity::per_tensor, Granularity::per_channel}) {
        INFO(file << " for " << target->name);
        Model naive(proto), commuted(proto), aware(proto);
        const Pass weights = quantize_weights(granularity, *target);
        (inject_qdq(known, *target, Placement::naive) | weights).run(naive);
        (inject_qdq(known, *target, Placement::naive) | commute_dq_past_activation(*target) | weights).run(commuted);
        (inject_qdq(known, *target, Placement::fusion_aware) | weights).run(aware);
        const TestResult same = isomorphic(commuted, aware, {"naive and commuted", "fusion-aware"});
        INFO(same.message());
        REQUIRE(same);
        CHECK_FALSE(isomorphic(naive, aware));
        CHECK(aware.graph().nodes().size() < naive.graph().nodes().size());
      }
    }
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
