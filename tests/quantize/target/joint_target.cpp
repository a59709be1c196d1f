#include <graft/quantize/target/joint_target.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/print.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

std::string conflict_about(const JointTarget& joint, std::string_view op) {
  for (const TargetConflict& conflict : joint.conflicts())
    if (conflict.op == op) return conflict.text;
  return "";
}
const IntegerKernel* kernel_of(const Target& target, std::string_view op) {
  const auto found = std::ranges::find(target.kernels, op, &IntegerKernel::op);
  return found != target.kernels.end() ? &*found : nullptr;
}

constexpr std::array unsigned_only{KernelDTypes{DType::u8, DType::i8}};
constexpr std::array unsigned_kernels{IntegerKernel{.op = "Conv", .dtypes = unsigned_only,
                                                    .quirks = {KernelQuirk::quantizes_constants}}};
constexpr Target unsigned_target{.name = "of-u8", .kernels = unsigned_kernels};

Model quantized(const std::string& text, const Target& target) {
  Model model = graph("opset 17; x: f32[1,32,8,8]; " + text);
  std::vector<Feeds> samples;
  for (float value = -1; value <= 1; value += 0.5f) {
    Tensor x(DType::f32, {1, 32, 8, 8});
    for (float step = value; float& element : x.mutable_data<float>()) element = step += 0.001f;
    samples.push_back({{"x", x}});
  }
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().placement = Placement::all_supported;
  quantize(model, samples, target, options);
  return model;
}

const std::string conv_net =
    "w = f32[32,32,3,3] random; v = f32[32,32,3,3] random; d = f32[32,1,3,3] random; b = f32[32] random; "
    "m = f32[32,16] random; n = f32[16] random; "
    "c = Relu(Conv(x, w, b) {pads=[1,1,1,1]}); e = Clip(Conv(c, d, b) {pads=[1,1,1,1], group=32}, f32[] 0, f32[] 6); "
    "f = Conv(e, v) {pads=[1,1,1,1]}; g = Relu(Add(f, c)); p = MaxPool(g) {kernel_shape=[2,2], strides=[2,2]}; "
    "h = LeakyRelu(Conv(p, w, b) {pads=[1,1,1,1]}); a = Flatten(GlobalAveragePool(h)); ";
const std::string attention_net =
    "q = f32[64,64] random; r = f32[64,64] random; s = f32[64,64] random; b = f32[64] random; one = f32[64] random; "
    "t = Reshape(x, i64[3] {1, 32, 64}); l = LayerNormalization(t, one, b) {axis=-1}; "
    "k = Add(MatMul(l, q), b); o = Transpose(MatMul(l, r)) {perm=[0,2,1]}; u = MatMul(k, o); "
    "z = MatMul(Softmax(Mul(u, f32[] 0.125)), MatMul(l, s)); y = Add(z, t)";

}  // namespace

TEST_CASE("a conjunction of targets does not contradict itself", "[quantize]") {
  for (const Target* const a : targets::all)
    for (const Target* const b : targets::all) {
      INFO(a->name << " and " << b->name);
      if (a->bias != b->bias && (a == &targets::tensorrt || b == &targets::tensorrt) &&
          (a == &targets::paper || b == &targets::paper)) {
        CHECK_THROWS_WITH((JointTarget({a, b})), Catch::Contains("Conv: tensorrt refuses a bias of int32, paper"));
        continue;
      }
      const JointTarget joint({a, b});
      CHECK(lint(joint.target()));
      CHECK(joint.target().name == std::string(a->name) + "," + std::string(b->name));
      const auto is_lost = [&](const IntegerKernel& kernel) {
        return kernel.op != "DepthToSpace" && kernel_of(joint.target(), kernel.op) == nullptr;  // of u8 on ARM64
      };
      if (a == b) CHECK(std::ranges::none_of(a->kernels, is_lost));
    }
  const JointTarget alone({&targets::tensorrt});
  CHECK(alone.target().kernels.data() == targets::tensorrt.kernels.data());
  CHECK(alone.target().name == "tensorrt");
  CHECK_THROWS_WITH(JointTarget({}), Catch::Contains("there is no target"));
}

TEST_CASE("the strictest of several targets decides, and the earlier one between equals", "[quantize]") {
  struct Row {
    std::vector<const Target*> parts;
    DType activation;
    ZeroPoints zero_points;
    BiasForm bias;
  };
  using namespace targets;
  for (const Row& row : std::vector<Row>{
           {{&tensorrt, &ort_cpu_x64}, DType::i8, ZeroPoints::zero, BiasForm::float32},
           {{&ort_cpu_x64, &tensorrt}, DType::i8, ZeroPoints::zero, BiasForm::float32},
           {{&openvino_cpu, &ort_cpu_x64}, DType::u8, ZeroPoints::free, BiasForm::int32},
           {{&openvino_cpu, &onednn}, DType::u8, ZeroPoints::free, BiasForm::float32},
           {{&qnn_htp, &tensorrt}, DType::i8, ZeroPoints::zero, BiasForm::float32},
           {{&ort_cpu_arm64, &ort_cpu_x64}, DType::i8, ZeroPoints::free, BiasForm::int32},
           {{&ort_cpu_x64, &ort_cpu_arm64}, DType::u8, ZeroPoints::free, BiasForm::int32},
           {{&qnn_htp, &openvino_cpu, &ort_cpu_x64}, DType::u8, ZeroPoints::free, BiasForm::int32}}) {
    const JointTarget joint(row.parts);
    INFO(joint.target().name);
    CHECK(joint.target().activation == row.activation);
    CHECK(joint.target().zero_points == row.zero_points);
    CHECK(joint.target().bias == row.bias);
  }
  const JointTarget joint({&ort_cpu_avx2, &tensorrt});
  CHECK(joint.target().weight_bits == 7);
  CHECK(joint.target().max_opset == 24);
  CHECK(joint.target().has(Quirk::refuses_other_domains));
  CHECK_FALSE(joint.target().has(Quirk::pairs_on_inputs));
  CHECK(joint.target().has(Fault::dropped_bias));
  CHECK_FALSE(joint.target().fused_operators.contains("com.microsoft::Gelu"));
  CHECK(JointTarget({&qnn_htp, &tensorrt}).target().fused_operators.contains("LayerNormalization"));
  // A kernel that moves values stays, as TensorRT takes quantizers past it.
  REQUIRE(kernel_of(joint.target(), "Transpose") != nullptr);
  CHECK(kernel_of(joint.target(), "Split") == nullptr);
  // ONNX Runtime quantizes a float bias where the result is quantized.
  CHECK_FALSE(kernel_of(joint.target(), "Gemm")->has(KernelQuirk::float_output));
  CHECK(kernel_of(joint.target(), "MatMul")->has(KernelQuirk::float_output));
}

namespace {

/// A Conv, and a Sigmoid whose times differ; the costs are in units of which others have so many.
struct MadeUpTarget {
  MadeUpTarget(std::string_view name, float unit, float sigmoid)
      : kernels{IntegerKernel{.op = "Conv", .dtypes = unsigned_only, .in_float = {.product = 4 * unit},
                              .in_integers = {.product = unit}},
                IntegerKernel{.op = "Sigmoid", .dtypes = unsigned_only, .form = KernelForm::elementwise,
                              .in_float = {.element = 4 * unit}, .in_integers = {.element = sigmoid * unit}}},
        floats{FloatCost{"Erf", {.element = 8 * unit}}},
        target{.name = name, .kernels = kernels, .quantize = {.element = unit}, .float_costs = floats,
               .other = {.element = 2 * unit}} {}
  MadeUpTarget(const MadeUpTarget&) = delete;
  std::array<IntegerKernel, 2> kernels;
  std::array<FloatCost, 1> floats;
  Target target;
};

}  // namespace

TEST_CASE("the times on all targets decide, whichever is the first and whatever their units", "[quantize]") {
  MadeUpTarget a("a", 1, 1), b("b", 100, 9), c("c", 1, 1);
  c.target.kernels = c.target.kernels.first(1);
  c.target.float_costs = {};
  for (const auto& parts : {std::vector<const Target*>{&a.target, &b.target}, {&b.target, &a.target}}) {
    const JointTarget joint(parts);
    const float unit = parts[0] == &a.target ? 1 : 100;
    INFO(joint.target().name);
    CHECK(kernel_of(joint.target(), "Conv")->in_float.product == Approx(4 * unit));
    CHECK(kernel_of(joint.target(), "Conv")->in_integers.product == Approx(unit));
    CHECK(kernel_of(joint.target(), "Sigmoid")->in_integers.element == Approx(5 * unit));  // a gains, b loses more
    CHECK(joint.target().quantize.element == Approx(unit));
    CHECK(joint.target().float_costs[0].cost.element == Approx(8 * unit));
    CHECK(joint.target().other.element == Approx(2 * unit));
  }
  // Without a kernel on all, Sigmoid takes what it takes in float; Erf is an operator like others on the last target.
  const JointTarget without({&a.target, &c.target});
  CHECK(kernel_of(without.target(), "Sigmoid") == nullptr);
  for (const auto& [op, element] : {std::pair<std::string_view, float>{"Sigmoid", 3}, {"Erf", 5}}) {
    INFO(op);
    const auto cost = std::ranges::find(without.target().float_costs, op, &FloatCost::op);
    REQUIRE(cost != without.target().float_costs.end());
    CHECK(cost->cost.element == Approx(element));
  }
}

TEST_CASE("a conflict names the operator and what contradicts", "[quantize]") {
  using namespace targets;
  const JointTarget joint({&qnn_htp, &tensorrt});
  CHECK(conflict_about(joint, "LayerNormalization") ==
        "tensorrt refuses a bias of int32, qnn-htp takes no other");
  CHECK(conflict_about(joint, "Softmax") == "qnn-htp can compute it in integers, tensorrt not");
  CHECK(conflict_about(joint, "Conv").empty());
  CHECK(conflict_about(JointTarget({&ort_cpu_x64, &openvino_cpu, &tensorrt}), "Concat") ==
        "ort-cpu-x64 and openvino-cpu can compute it in integers, tensorrt not");
  CHECK(conflict_about(joint, "LeakyRelu") == "it takes u8, u16 alone; together the targets take i8");
  CHECK(conflict_about(JointTarget({&ort_cpu_arm64, &openvino_cpu}), "DepthToSpace") ==
        "ort-cpu-arm64 takes u8; openvino-cpu takes u8, i8");
  CHECK_THROWS_WITH((JointTarget({&tensorrt, &unsigned_target})),
                    Catch::Contains("no model serves all of them in integers: Conv: tensorrt takes i8 with weights of "
                                    "i8, f8e4m3fn with weights of f8e4m3fn around 0; of-u8 takes u8 with weights of "
                                    "i8"));
  Target newer = ort_cpu_x64;
  newer.opset = 25;
  CHECK_THROWS_WITH((JointTarget({&tensorrt, &newer})), Catch::Contains("no opset serves all of them"));
}

TEST_CASE("one model serves several targets, by the audit of each", "[quantize]") {
  using namespace targets;
  const std::string ends = conv_net + "y = Gemm(a, m, n)", open_end = conv_net + "y = Softmax(Gemm(a, m, n))";
  const std::vector<std::vector<const Target*>> sets{{&tensorrt, &ort_cpu_x64},
                                                     {&openvino_cpu, &ort_cpu_x64},
                                                     {&qnn_htp, &tensorrt},
                                                     {&ort_cpu_arm64, &tensorrt, &qnn_htp, &openvino_cpu}};
  for (const auto& parts : sets)
    for (const std::string& net : {ends, open_end, attention_net}) {
      const JointTarget joint(parts);
      const Model model = quantized(net, joint.target());
      INFO(joint.target().name << "\n" << to_string(model.graph()));
      CHECK(count(model.graph(), "QuantizeLinear") > 4);
      for (const Target* const part : parts) {
        const Audit found = audit(model.graph(), *part);
        INFO(part->name << "\n" << found);
        for (const OperatorOutcome& one : found.findings) {
          CHECK(one.severity != Severity::error);
          // On x86-64 int8 is made uint8 where one operator reads it alone. OpenVINO takes no computed factors of u8.
          const bool is_signed = part == &ort_cpu_x64 && joint.target().activation == DType::i8;
          if (!is_signed && (one.op == "Conv" || one.op == "Gemm")) CHECK(one.fused());
        }
      }
    }
}

TEST_CASE("what one of several targets leaves in float stays so", "[quantize]") {
  const std::string masked = "v = f32[64,64] random; t = Reshape(x, i64[3] {1, 32, 64}); k = MatMul(t, v); "
                             "o = Transpose(t) {perm=[0,2,1]}; u = MatMul(k, o); "
                             "m = ReduceSum(t, i64[1] 2) {keepdims=0}; y = MatMul(Softmax(Add(u, m)), k)";
  const JointTarget joint({&targets::tensorrt, &targets::ort_cpu_x64});
  const auto factors = [&](const Target& target) {
    const Model model = quantized(masked, target);
    INFO(to_string(model.graph()));
    std::size_t quantized_products = 0;
    for (const Node& node : model.graph().nodes())
      if (node.is("MatMul") && node.input(1)->producer() != nullptr && is_dequantize(*node.input(1)->producer()))
        quantized_products += !node.input(1)->producer()->input(0)->is_constant();
    return quantized_products;
  };
  CHECK(factors(targets::ort_cpu_x64) == 2);
  CHECK(factors(targets::tensorrt) == 0);
  CHECK(factors(joint.target()) == 0);
}

TEST_CASE("what one of several targets miscomputes between quantizers stays in float there", "[quantize]") {
  const JointTarget joint({&targets::qnn_htp, &targets::tensorrt});
  for (const std::string between : {"LeakyRelu(c)", "Softmax(c)", "CumSum(c, i64[] 1)"}) {
    const Model model = quantized("w = f32[32,32,1,1] random; c = Conv(x, w); d = " + between + "; y = Conv(d, w)",
                                  joint.target());
    INFO(to_string(model.graph()));
    const Audit found = audit(model.graph(), targets::qnn_htp);
    INFO(found);
    CHECK(found.of("Conv").fused() == 2);
    for (const OperatorOutcome& one : found.findings) CHECK(one.severity != Severity::error);
    CHECK(count(model.graph(), "Max") == 1);
  }
}
