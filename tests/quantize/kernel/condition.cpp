#include <graft/quantize/kernel/condition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/random_graph.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "quantize/one_branch.hpp"

using namespace graft;

TEST_CASE("kernels serve the opsets that their targets say", "[quantize]") {
  for (const Target* const target : targets::all) {
    for (IntegerKernel kernel : target->kernels) {
      if (kernel.since <= 10 && kernel.until >= 24) continue;
      INFO(target->name << " " << kernel.op);
      Target one = *target;
      one.kernels = {&kernel, 1};
      for (const int opset : {10, 11, 12, 13, 18, 21, 22, 24}) {
        const std::string attributes = kernel.op == "MaxPool"        ? " {kernel_shape=[2,2]}"
                                       : kernel.op == "DepthToSpace" ? " {blocksize=2}"
                                                                     : "";
        const Model model = graph("opset " + std::to_string(opset) +
                                  "; x: f32[1,4,4,4]; y = " + std::string(kernel.op) + "(x)" + attributes);
        const Verdict verdict = quantizable(node_making(model, "y"), one);
        CHECK((verdict.reason().code == "opset") == !kernel.serves(opset));
      }
    }
  }
}

namespace {

Vocabulary quantized_operators(std::uint64_t seed) {
  Vocabulary vocabulary;
  vocabulary.dtypes = {DType::f32, DType::f32, DType::f32, DType::f32, DType::i64};
  vocabulary.opsets = {13, 14, 17, 19, 21};
  vocabulary.empty_dims = vocabulary.functions = false;
  vocabulary.bodies = seed % 4 == 0;
  vocabulary.operators = {"Conv",    "Conv",      "Relu",    "Clip",   "Add",     "Mul",       "Gemm",       "MatMul",
                          "MaxPool", "Transpose", "Sigmoid", "Concat", "Softmax", "Reshape",   "Resize",     "Split",
                          "Slice",   "Sub",       "Where",   "Gather", "Squeeze", "LeakyRelu", "AveragePool"};
  return vocabulary;
}

}  // namespace

TEST_CASE("the audit of a planned model does not contradict the plan", "[quantize]") {
  std::size_t fused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Model in_float = random_graph(seed, 12, quantized_operators(seed));
    Ranges ranges;
    for (const Node& node : in_float.graph().nodes())
      for (const Value& output : node.outputs()) ranges.set(std::string(output.name()), {-1.5f, 2});
    for (const Value* const input : in_float.graph().inputs()) ranges.set(std::string(input->name()), {-1, 1});
    std::vector<const Target*> all(targets::all.begin(), targets::all.end());
    all.push_back(&one_branch);
    for (const Target* const target : all) {
      Model model = in_float.clone();
      Context context;
      try {
        (inject_qdq(ranges, *target, Placement::all_supported) | quantize_weights(Granularity::per_channel, *target))
            .run(model, context);
      } catch (const Error&) {
        continue;  // such as a constant that is not finite
      }
      const FloatOutcomes& kept = *context.facts.find<FloatOutcomes>();
      for (const OperatorOutcome& outcome : audit(model.graph(), *target).findings) {
        INFO(seed << " " << target->name << " " << to_string(outcome));
        const auto& refused = target->refused_in_float;
        const bool is_refused_in_float = std::ranges::find(refused, outcome.op) != refused.end();
        if (outcome.code == "pool" || is_refused_in_float) continue;  // refused in float, too
        const bool is_of_float_model = outcome.code == "unknown_shape" || outcome.code == "rank" ||
                                       outcome.code == "not_in_backend";
        CHECK((outcome.severity != Severity::error || is_of_float_model));
        CHECK(outcome.form != OperatorForm::refused);
        CHECK(outcome.code != "branch_in_float");
        CHECK(outcome.code != "pairs_on_both_branches");
        fused += outcome.fused();
        const OperatorOutcome* const plan = kept.find(outcome.node);
        if (plan == nullptr) continue;
        INFO(plan->code << ": " << plan->text);
        // A Concat becomes one of integers by the quantizer behind it; of a Conv that the runtime quantizes itself the
        // audit warns.
        CHECK((!outcome.fused() || outcome.op == "Concat" || outcome.severity == Severity::warning));
      }
    }
  }
  CHECK(fused > 500);
}

TEST_CASE("a half-quantized operator stays in float, unless the runtime refuses that", "[quantize]") {
  const Model model =
      graph("opset 13; x: f32[1,4]; w = i8[4,2] 1; s = f32[] 0.5; y = MatMul(x, DequantizeLinear(w, s, i8[] 0))");
  detail::Surroundings around(targets::ort_cpu_x64);
  const KernelView view(node_making(model, "y"), targets::ort_cpu_x64, ConditionStage::quantized, around);
  REQUIRE(view.is_float());
  KernelCondition row{"lone_dequantizer",
                      QuirkSet<KernelForm>{KernelForm::weighted},
                      QuirkSet<ConditionStage>{ConditionStage::quantized},
                      ConditionEffect::warning,
                      [](const KernelView&) { return Verdict::no("its input has no pair"); },
                      ""};
  const Reason why{"its input has no pair"};
  CHECK(row.failed_by(view, why).form == OperatorForm::in_float);
  row.effect = ConditionEffect::refused;
  const OperatorOutcome refused = row.failed_by(view, why);
  CHECK(refused.form == OperatorForm::refused);
  CHECK(refused.severity == Severity::error);
  const KernelView planned(node_making(model, "y"), targets::ort_cpu_x64, ConditionStage::planned, around);
  CHECK(row.failed_by(planned, why).form == OperatorForm::in_float);
}
