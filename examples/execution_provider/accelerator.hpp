#pragma once
// The rules of a made-up accelerator. It computes Conv in integers, fuses activations into it if these vanish in a
// range, pools and moves integers, and adds biases in float.
#include <cmath>
#include <optional>

#include <graft/graph.hpp>
#include <graft/pattern.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/rewrite.hpp>

namespace accelerator {
using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto q = val<"q">;
inline constexpr auto b = cst<"b">;
inline constexpr auto s = cst<"s">;
inline constexpr auto z = cst<"z">;
inline constexpr auto s2 = cst<"s2">;
inline constexpr auto z2 = cst<"z2">;
inline constexpr auto operands = rest<"operands">;
inline constexpr auto more = rest<"more">;
inline constexpr auto conv = node<"conv">;
inline constexpr auto act = node<"act">;
inline constexpr auto moved = node<"moved">;
inline constexpr auto quantize = node<"quantize">;
inline constexpr auto dequantize = node<"dequantize">;
inline constexpr auto least = param<"min", float>;
inline constexpr auto most = param<"max", float>;

// Before:  QuantizeLinear(f(DequantizeLinear(q, s, z)), s, z)
// After:   f(q)        f pools or moves elements; one scale
inline constexpr auto pool_out_of_pair = rule<"pool-out-of-pair">(
    op<"QuantizeLinear">(
        op<"MaxPool">(op<"DequantizeLinear">(q.dtype(DType::u8, DType::i8), s.scalar(), opt(z))).since(12).as(moved), s,
        opt(z)),
    moved(q));

inline constexpr auto movement_out_of_pair = rule<"movement-out-of-pair">(
    op<"QuantizeLinear">(one_of<"Flatten", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze">(
                             op<"DequantizeLinear">(q, s.scalar(), opt(z)), more)
                             .as(moved),
                         s, opt(z)),
    moved(q, more));

// Before:  QuantizeLinear(Clip(x, min, max), s, z), or Relu(x)
// After:   QuantizeLinear(x, s, z)        the quantized range ends where Clip does, or before
inline Verdict is_within(const QParams& range, float min, float max) {
  const auto code = [&](float bound) { return std::nearbyint(double{bound / range.scale}) + range.zero_point; };
  if (code(min) <= range.lowest() && code(max) >= range.highest()) return Verdict::yes();
  return Verdict::no({.text = "the quantized range, from {} to {}, goes beyond {} to {}",
                      .code = "wide-range",
                      .numbers = {range.range().min, range.range().max, min, max},
                      .number_count = 4});
}
inline Verdict clips_nothing(const Node& node, std::optional<float> min, std::optional<float> max) {
  const std::optional<QParams> range = qparams_of(node);
  if (!range) return Verdict::no("the quantizer has no single range");
  return is_within(*range, min.value_or(-INFINITY), max.value_or(INFINITY));
}
inline Verdict is_never_negative(const Node& node) { return clips_nothing(node, 0.F, {}); }

inline constexpr auto clip_into_range =
    rule<"clip-into-range">(op<"QuantizeLinear">(op<"Clip">(x).with(opt(least), opt(most)), s, opt(z)).as(quantize),
                            where(predicate<clips_nothing>()(quantize, least, most)), quantize(x, s, opt(z)));

inline constexpr auto relu_into_range =
    rule<"relu-into-range">(op<"QuantizeLinear">(op<"Relu">(x), s, opt(z)).as(quantize),
                            where(predicate<is_never_negative>()(quantize)), quantize(x, s, opt(z)));

// Before:  DequantizeLinear(b, s, z)
// After:   a constant        b: an int32 constant, a bias
inline constexpr auto bias_to_float = rule<"bias-to-float">(
    op<"DequantizeLinear">(b.dtype(DType::i32), s, opt(z)).as(dequantize), folded(dequantize(b, s, opt(z))));

// Before:  QuantizeLinear(f(pair(Conv(...), s, z)), s2, z2)        pair: DequantizeLinear(QuantizeLinear(...))
// After:   QuantizeLinear(f(Conv(...)), s2, z2)                    f: Relu, Clip, which the accelerator fuses into Conv
inline constexpr auto pair_behind_activation =
    rule<"pair-behind-activation">(
        op<"QuantizeLinear">(
            one_of<"Clip", "Relu">(
                op<"DequantizeLinear">(op<"QuantizeLinear">(op<"Conv">(operands).as(conv), s, opt(z)), s, opt(z)), more)
                .as(act),
            s2, opt(z2))
            .as(quantize),
        quantize(act(conv(operands), more), s2, opt(z2)))
        .changes_values("what quantizing in front of the activation rounds and cuts off");

/// The form that the accelerator needs. Needs Context::executor.
inline Pass normal_form() {
  return on_typed_graph("normal_form",
                        fixpoint(pair_behind_activation) |
                            fixpoint(pool_out_of_pair, movement_out_of_pair, clip_into_range, relu_into_range) |
                            sweep(bias_to_float));
}

}  // namespace accelerator
