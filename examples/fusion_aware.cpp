// The published algorithm of fusion-aware quantization as rules. Q/DQ pairs go around Conv and behind activations, the
// pair in front of an activation moves behind it, and weights are symmetric. On MobileNetV2 the rules make the same
// graph as inject_qdq(targets::paper).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <graft/graph.hpp>
#include <graft/qdq.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>
#include <graft/testing.hpp>

#include "mobilenetv2.hpp"

namespace paper {
using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;
constexpr auto b = cst<"b">;
constexpr auto s = cst<"s">;
constexpr auto z = cst<"z">;
constexpr auto s2 = cst<"s2">;
constexpr auto z2 = cst<"z2">;
constexpr auto more = rest<"more">;
constexpr auto axis = attr<"axis", std::int64_t>;
constexpr auto conv = node<"conv">;
constexpr auto act = node<"act">;

constexpr auto qdq(const auto& value, const auto& scale, const auto& zero_point) {
  return op<"DequantizeLinear">(op<"QuantizeLinear">(value, scale, zero_point), scale, zero_point);
}
constexpr auto activation(const auto&... inputs) { return one_of<"Relu", "LeakyRelu", "Clip", "HardSwish">(inputs...); }

bool is_dequantized(const Value& value) { return value.producer() != nullptr && is_dequantize(*value.producer()); }

// Injection: one pair for each tensor in front of a Conv, behind it and behind its activation. All readers share the
// pair.
void add_pair(Value& value, Rewriter& rewriter) {
  if (dequantized(value) != nullptr || is_dequantized(value)) return;
  const Ranges& ranges = *rewriter.context().facts.find<Ranges>();
  const QParams q = choose_qparams(ranges.at(value.name()), DType::u8);
  Value& scale = rewriter.constant(Tensor::scalar(q.scale));
  Value& zero = rewriter.constant(Tensor::scalar(static_cast<std::uint8_t>(q.zero_point)));
  Value& quantized = rewriter.insert_after(value, "QuantizeLinear", {&scale, &zero});
  rewriter.insert_after(quantized, "DequantizeLinear", {&scale, &zero});
}
constexpr auto inject = rule<"inject-qdq">(op<"Conv">(x, rest<>).as(conv), [](const auto& m, Rewriter& rewriter) {
  add_pair(m[x], rewriter);
  add_pair(*m[conv].output(0), rewriter);
  return Verdict::yes();
});
constexpr auto inject_behind_activation = rule<"inject-qdq-behind-activation">(
    activation(qdq(op<"Conv">(x, rest<>).as(conv), s, z), rest<>).as(act), [](const auto& m, Rewriter& rewriter) {
      add_pair(*m[act].output(0), rewriter);
      return Verdict::yes();
    });

// Commutation: removes the pair in front of an activation if another pair follows the activation.
constexpr auto commute = rule<"commute-dq-past-activation">(
                             qdq(activation(qdq(op<"Conv">(more).as(conv), s, z), rest<"bounds">).as(act), s2, z2),
                             qdq(act(conv(more), rest<"bounds">), s2, z2))
                             .changes_values("what the inner pair rounds");

// Weights: symmetric int8 with one scale for each output channel. Biases are int32; their scale is the product of both
// scales.
QuantizedTensor int8_weight(const Tensor& weight) { return quantize_tensor(weight, DType::i8, 0); }
Tensor weight_codes(const Tensor& weight) { return int8_weight(weight).data; }
Tensor weight_scales(const Tensor& weight) { return int8_weight(weight).scale; }
Tensor weight_zeros(const Tensor& weight) { return int8_weight(weight).zero_point; }
constexpr auto quantize_weight = rule<"symmetric-weight">(
    op<"Conv">(x, w.dtype(DType::f32), opt(b)).as(conv),
    conv(x,
         op<"DequantizeLinear">(tensor<weight_codes>(w), tensor<weight_scales>(w), tensor<weight_zeros>(w))
             .with(axis = 0),
         opt(b)));

Tensor bias_scales(const Value& input, const Tensor& weight_scales) {
  Tensor scales = weight_scales;
  for (float& scale : scales.mutable_data<float>()) scale *= qparams_of(*input.producer()).value().scale;
  return scales;
}
Tensor bias_codes(const Tensor& bias, const Value& input, const Tensor& weight_scales) {
  const Tensor scales = bias_scales(input, weight_scales);
  std::vector<std::int32_t> codes;
  for (std::size_t c = 0; c < bias.data<float>().size(); ++c) {
    const double code = std::nearbyint(double{bias.data<float>()[c]} / scales.data<float>()[c]);
    codes.push_back(static_cast<std::int32_t>(std::clamp(code, -0x1p31, 0x1p31 - 1)));
  }
  return Tensor::of<std::int32_t>(bias.dims(), codes);
}
constexpr auto quantize_bias = rule<"int32-bias">(
    op<"Conv">(x, op<"DequantizeLinear">(w, s, z).with(axis), b.dtype(DType::f32)).as(conv),
    where(predicate<is_dequantized>("its input is not quantized")(x)),
    conv(x, op<"DequantizeLinear">(w, s, z).with(axis),
         op<"DequantizeLinear">(tensor<bias_codes>(b, x, s), tensor<bias_scales>(x, s)).with(axis = 0)));

Pass quantize() {
  return pass("inject", sweep(inject) | sweep(inject_behind_activation)).needs<Ranges>() | fixpoint(commute) |
         sweep(quantize_weight) | sweep(quantize_bias);
}

}  // namespace paper

int main() try {
  using namespace graft;
  Tensor image(DType::f32, {1, 3, 96, 96});
  for (float pixel = -1; float& value : image.mutable_data<float>()) value = pixel = pixel > 1 ? -1 : pixel + 0.01F;
  const std::vector<Feeds> samples{{{"image", image}}};
  Model by_rules = MobileNetV2(96).build(), by_library = by_rules.clone();
  const Pass shared = eliminate_common_subexpressions();  // rules share equal constants
  std::cout << (calibrate(samples) | paper::quantize() | shared).run(by_rules);
  (calibrate(samples) | inject_qdq(targets::paper) | quantize_weights(Granularity::per_channel, targets::paper) |
   shared)
      .run(by_library);
  const TestResult same = isomorphic(by_rules, by_library);
  std::cout << (same ? "the graphs are the same" : same.message()) << "\n";
  return same ? 0 : 1;
} catch (const graft::Error& error) {
  std::cerr << "fusion_aware: " << error.what() << "\n";
  return 1;
}
