#include <graft/quantize/place/widen_activations.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/quantize/target/qnn_htp.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

Histogram of_values(float small, float large) {
  Histogram histogram;
  histogram.add(Tensor::list(std::vector<float>{-large, small, small, small, small, large}), {-large, large});
  return histogram;
}

const std::string text =
    "opset 21; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; k = f32[] 0.5; o = f32[2] random; a = Conv(x, w, o); "
    "b = Mul(a, k); y = Add(b, x)";

/// The quantized model where b is the tensor of which 8 bits lose most.
Model widened(double share) {
  Model model = graph(text);
  Statistics<Histogram> histograms;
  histograms.of("a") = of_values(3, 4);
  histograms.of("b") = of_values(0.01f, 4);
  histograms.of("y") = of_values(1, 4);
  Context context;
  context.facts.provide(std::move(histograms));
  context.facts.provide(Ranges{{"x", {-4, 4}}, {"a", {-4, 4}}, {"b", {-4, 4}}, {"y", {-4, 4}}});
  (widen_activations(share, targets::qnn_htp) | inject_qdq(targets::qnn_htp, Placement::min_cost) |
   quantize_weights(Granularity::per_channel, targets::qnn_htp))
      .run(model, context);
  return model;
}

/// The dtypes of its quantizers.
std::string dtypes(double share, Audit* found = nullptr) {
  const Model model = widened(share);
  if (found != nullptr) *found = audit(model.graph(), targets::qnn_htp);
  std::string list;
  for (const Node& node : model.graph().nodes())
    if (is_quantize(node)) list += std::string(to_string(quantized_dtype(node))) + " ";
  return list;
}

/// The dtype of the quantizer that reads a tensor.
DType quantized_to(const Model& model, std::string_view tensor) {
  for (const Node& node : model.graph().nodes())
    if (is_quantize(node) && node.input(0)->name() == tensor) return quantized_dtype(node);
  return DType::undefined;
}

}  // namespace

TEST_CASE("the activations of which 8 bits lose most become 16 bits", "[quantize]") {
  Audit found;
  CHECK(dtypes(0, &found) == "u8 u8 u8 u8 ");
  CHECK(found.fused() >= 3);
  const Model model = widened(0.3);
  CHECK(quantized_to(model, "b") == DType::u16);
  CHECK(quantized_to(model, "a") == DType::u8);
  // Whatever share it is, operators stay units, and conversions stand between them.
  for (const double share : {0.3, 0.6, 1.0}) {
    dtypes(share, &found);
    for (const OperatorOutcome& one : found.findings) {
      INFO(share << " " << to_string(one));
      CHECK((one.op.ends_with("Linear") || one.fused()));
      CHECK(one.severity != Severity::error);
    }
  }
  CHECK(dtypes(1).find("u8") == std::string::npos);
}

TEST_CASE("activations without a kernel of their own do not move values", "[quantize]") {
  Model model = graph("opset 21; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; y = Conv(Relu(Conv(x, w)), w)");
  Context context;
  Ranges ranges;
  for (const Value* const value : observable(model.graph())) ranges.set(value->name(), {0, 4});
  context.facts.provide(std::move(ranges));
  CHECK(widen_activations(1, targets::ort_cpu_x64).run(model, context).changes == 3);
}

TEST_CASE("a share is a number from 0 to 1", "[quantize]") {
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      widen_activations(share, targets::qnn_htp);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.field() == "share");
    }
  }
}

TEST_CASE("activations of integers get no pair, and operators without pairs stay", "[quantize]") {
  for (const std::string statements : {"a = ArgMin(x) {axis=-1, keepdims=0}; y = Relu(a)", "y = CumSum(x, i64[] 0)"}) {
    INFO(statements);
    Model model = graph("opset 21; x: f32[3,4]; " + statements);
    Context context;
    context.facts.provide(Ranges{{"x", {-4, 4}}});
    (widen_activations(0.5, targets::qnn_htp) | inject_qdq(targets::qnn_htp, Placement::min_cost)).run(model, context);
    CHECK(!is_dequantize(*model.graph().output(0)->producer()));
  }
}
