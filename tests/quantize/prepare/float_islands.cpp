#include <graft/quantize/prepare/float_islands.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

// A pre-activation, an inverted bottleneck with squeeze and excitation, and a head, as exporters write them.
constexpr std::string_view net = R"(
  x: f32[1,3,8,8]
  w0 = f32[4,3,3,3] random; w1 = f32[4,4,3,3] random; w2 = f32[2,4,1,1] random; w3 = f32[4,2,1,1] random
  w4 = f32[4,4,1,1] random; w5 = f32[5,4] random
  s = f32[4,1,1] random(0.5, 2); t = f32[4,1,1] random
  a = Relu(MaxPool(Conv(x, w0) {pads=[1,1,1,1]}) {kernel_shape=[2,2], strides=[2,2]})
  p = Add(a, Conv(Relu(Add(Mul(a, s), t)), w1) {pads=[1,1,1,1]})
  h = HardSwish(Conv(p, w1) {pads=[1,1,1,1]})
  g = HardSigmoid(Conv(Relu(Conv(ReduceMean(h) {axes=[2,3]}, w2)), w3))
  e = Conv(Mul(h, g), w4)
  r = Relu(Transpose(Transpose(e) {perm=[0,2,3,1]}) {perm=[0,3,1,2]})
  y = Gemm(ReduceMean(r) {axes=[2,3], keepdims=0}, w5) {transB=1})";

std::multiset<std::string> operators(const Model& model) {
  std::multiset<std::string> ops;
  for (const Node& node : model.graph().nodes()) ops.emplace(node.op_type());
  return ops;
}

std::multiset<std::string> operators_for(const Target& target) {
  Model model = graph(net);
  float_islands(target).run(model);
  return operators(model);
}

}  // namespace

TEST_CASE("for ONNX Runtime nothing without an integer kernel is left but what vanishes") {
  CHECK(operators_for(targets::ort_cpu_x64) ==
        std::multiset<std::string>{"Conv", "Conv", "Conv", "Conv", "Conv", "Conv", "Conv", "Conv", "MaxPool", "Relu",
                                   "Relu", "Relu", "Relu", "Add", "Mul", "Mul", "Clip", "Clip", "GlobalAveragePool",
                                   "GlobalAveragePool", "Flatten", "Gemm"});
}

TEST_CASE("what oneDNN fuses stays") {
  const std::multiset<std::string> ops = operators_for(targets::onednn);
  CHECK(ops.count("HardSwish") == 1);
  CHECK(ops.count("HardSigmoid") == 1);
  CHECK(ops.count("Mul") == 1);
  CHECK(ops.count("Conv") == 7);
}

TEST_CASE("what ONNX Runtime would make a Gemm of in float is one beforehand") {
  const std::string sums = "x: f32[2,3,4]; w = f32[4,5] random; b = f32[5] random; y = Add(MatMul(x, w), b)";
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::onednn}) {
    Model model = graph(sums);
    float_islands(*target).run(model);
    CHECK(operators(model).count("Gemm") == (target == &targets::ort_cpu_x64 ? 1 : 0));
  }
}

TEST_CASE("a Gemm has no factors that integer kernels lack") {
  const std::string head = "x: f32[2,4]; b = f32[4] {1, 2, 3, 4}; y = Relu(Gemm(x, ";
  const std::string scaled = head + "f32[4,4] 3, b) {alpha=-0.5})", plain = head + "f32[4,4] -1.5, b) {alpha=1.0})";
  for (const Target* const target : targets::all) {
    INFO(target->name);
    const bool computes = detail::has_entry(target->kernels, "Gemm");
    CHECK(given(scaled).pass(float_islands(*target)).becomes(computes ? plain : scaled));
  }
}

TEST_CASE("channel shuffles are Gathers, and means depthwise convolutions where those are faster") {
  const std::string shuffled =
      "x: f32[N,3,8,8]; z = Conv(x, f32[8,3,1,1] _);"
      "t = Transpose(Reshape(z, i64[3] {-1, 2, 64})) {perm=[1, 0, 2]}; s = Reshape(t, i64[5] {2, -1, 4, 8, 8});"
      "a = Conv(Gather(s, i64[] 1), f32[4,4,1,1] _); y = Concat(Gather(s, i64[] 0), a) {axis=1};"
      "p = Pad(y, i64[8] {0, 0, 1, 1, 0, 0, 1, 1}); m = AveragePool(p) {kernel_shape=[3, 3], strides=[2, 2]}";
  for (const Target* const target : targets::all) {
    INFO(target->name);
    if (target->has(Quirk::pairs_on_inputs)) continue;  // nothing is an island between pairs there
    const Trial trial = given(shuffled).pass(float_islands(*target));
    CHECK(trial.equivalent({.inputs = 5, .dims = {{"N", 2}}}));
    const std::multiset<std::string> ops = operators(trial.run().model);
    CHECK(ops.count("Gather") == 2);
    CHECK(ops.count("Transpose") + ops.count("Reshape") == 0);
    const std::size_t pools = ops.count("AveragePool");
    CHECK(ops.count("Pad") == pools);
    CHECK(ops.count("Conv") == 3 - pools);
    if (target->name.starts_with("ort") || target == &targets::openvino_cpu) CHECK(pools == 0);
    if (target == &targets::onednn || target == &targets::paper) CHECK(pools == 1);
  }
}

TEST_CASE("float_islands keeps values, is idempotent, and leaves nothing behind") {
  for (const Target* const target : targets::all) {
    const Trial trial = given(net).pass(float_islands(*target));
    CHECK(trial.equivalent({.inputs = 5, .atol = 1e-4}));
    CHECK(trial.idempotent());
    CHECK(trial.tidy());
  }
}

TEST_CASE("a target without an integer Conv has no islands") {
  CHECK(given("x: f32[1,2,4,4]; h = Neg(x); y = Conv(Mul(h, f32[] 2), f32[1,2,1,1] 1)")
            .pass(float_islands(Target{}))
            .becomes("x: f32[1,2,4,4]; h = Neg(x); y = Conv(Mul(h, f32[] 2), f32[1,2,1,1] 1)"));
}

TEST_CASE("a large Conv over an image reads blocks where its few channels are slow") {
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_avx2, &targets::onednn}) {
    Model model = graph("x: f32[N,3,32,32]; w = f32[16,3,7,7] random; y = Conv(x, w) {strides=[2,2], pads=[3,3,3,3]}");
    float_islands(*target).run(model);
    CHECK(operators(model).count("SpaceToDepth") == (target == &targets::onednn ? 0 : 1));
  }
}

TEST_CASE("where the integer kernel of Resize knows no axes, all are named") {
  const std::string head = "opset 18; x: f32[1,2,4,4]; y = Resize(Conv(x, f32[2,2,1,1] 1), _, ";
  const auto of = [&](const Target& target) {
    return given(head + "f32[2] {2, 2}) {axes=[2, 3]}").pass(float_islands(target));
  };
  CHECK(of(targets::ort_cpu_x64).becomes(head + "f32[4] {1, 1, 2, 2})"));
  CHECK(of(targets::onednn).becomes(head + "f32[2] {2, 2}) {axes=[2, 3]}"));
}

TEST_CASE("the distribution of a box's edge is along the last axis where other Softmaxes are slow") {
  const std::string head = "opset 13; x: f32[N,64,8]; r = Reshape(x, i64[4] {0, 4, 16, 8});";
  const std::string inner = head + "y = Softmax(Transpose(r) {perm=[0,2,1,3]}) {axis=1}";
  for (const Target* const target : targets::all) {
    INFO(target->name);
    const Trial trial = given(inner).pass(float_islands(*target));
    if (!detail::has_entry(target->kernels, "Softmax")) {
      CHECK(trial.becomes(inner));
      continue;
    }
    CHECK(trial.equivalent({.dims = {{"N", 2}}}));
    CHECK(trial.becomes(head + "y = Transpose(Softmax(Transpose(r) {perm=[0,1,3,2]}) {axis=-1}) {perm=[0,3,1,2]}"));
  }
}
