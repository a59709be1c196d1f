// A target whose zero points are 0: placement, joining, commutation and audit heed it.
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/text.hpp>

#include "quantize/symmetric_target.hpp"

using namespace graft;

namespace {

const std::string net =
    "x: f32[1,4,8,8]; k = f32[1,4,4,4] random; a = Relu(Conv(x, f32[4,4,1,1] random, f32[4] random)); "
    "b = MaxPool(a) {kernel_shape=[2,2], strides=[2,2]}; c = Conv(b, f32[4,4,1,1] random); d = Add(b, c); "
    "e = Relu(Add(d, k)); y = ConvTranspose(e, f32[4,4,2,2] random)";

Model quantized(const std::string& text, Placement placement, const Target& target) {
  Model model = graph(text);
  Tensor x(DType::f32, {1, 4, 8, 8});
  for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.01f;
  (calibrate(std::vector<Feeds>{{{"x", x}}}) | inject_qdq(target, placement) |
   quantize_weights(Granularity::per_channel, target) | commute_dq_past_activation(target))
      .run(model);
  return model;
}

}  // namespace

TEST_CASE("a target of symmetric int8 gets nothing else, and its kernels compute in integers", "[quantize]") {
  CHECK(lint(symmetric::target));
  for (const Placement placement : {Placement::all_supported, Placement::min_cost}) {
    const Model model = quantized(net, placement, symmetric::target);
    INFO(to_string(model.graph()));
    std::size_t quantizers = 0;
    for (const Node& node : model.graph().nodes()) {
      if (!is_quantize(node)) continue;
      ++quantizers;
      const std::optional<QParams> q = qparams_of(node);
      REQUIRE(q);
      CHECK(q->dtype == DType::i8);
      CHECK(q->zero_point == 0);
    }
    CHECK(quantizers > 0);
    const Audit found = audit(model.graph(), symmetric::target);
    INFO(found);
    CHECK(found.of("Conv").fused() == 2);
    CHECK(found.of("MaxPool").fused() == 1);
    CHECK(found.of("Add").fused() == 2);
    CHECK(found.of("ConvTranspose").fused() == 1);
    for (const OperatorOutcome& outcome : found.findings) CHECK(outcome.severity == Severity::none);
  }
}

TEST_CASE("another zero point of an operand or a result leaves a kernel in float", "[quantize]") {
  Target free = symmetric::target;
  free.zero_points = ZeroPoints::free;
  const Model model = quantized(net, Placement::all_supported, free);
  CHECK(audit(model.graph(), free).of("Conv").fused() == 2);
  const Audit found = audit(model.graph(), symmetric::target);
  CHECK(found.of("ConvTranspose").fused() == 0);  // its own quirk kept it in float
  for (const char* const op : {"Conv", "Add", "MaxPool"}) {
    INFO(op);
    CHECK(found.of(op).fused() == 0);
    CHECK(found.of(op).findings[0].code == "input_zero_point");
  }
  const std::string made = "p: i8[1,4,8,8]; s = f32[] 0.1; z = i8[] 0; x = DequantizeLinear(p, s, z); a = Add(x, x); ";
  const auto code = [&](const std::string& zero) {
    const Model sum = graph(made + "t = i8[] " + zero + "; y = DequantizeLinear(QuantizeLinear(a, s, t), s, t)");
    return audit(sum.graph(), symmetric::target).findings.at(0).code;
  };
  CHECK(code("0").empty());
  CHECK(code("3") == "output_zero_point");
}
