#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/clips.hpp>
#include <graft/simplify/mul_into_conv.hpp>

// Before:  Mul(Relu(f(x, w, b?)), c), in either order, or Div(Relu(f(x, w, b?)), c)      f: Conv or Gemm
// After:   Relu(f(x, w', b'?))             by the rule mul_past_relu_into_conv
//
// Before:  the same of Clip(f(x, w, b?), l, h)
// After:   Clip(f(x, w', b'?), l', h')     by the rule mul_past_clip_into_conv     l' = l * c, h' = h * c      or / c
//
// w', b' and c are as mul_into_conv has them, and c is positive. For Clip all are f32 or f16, c is one value, and l and
// h are constant. A HardSigmoid that is spelt as Clip and Div becomes a Clip.

namespace graft::inline v1 {
namespace detail::simplification {

inline bool are_positive(const Tensor& constant) {
  const std::vector<double> numbers = constant.to<double>();
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return number > 0; });
}
inline bool is_single(const Tensor& weights, const Tensor& constant) {
  return constant.size() == 1 && (weights.dtype() == DType::f32 || weights.dtype() == DType::f16);
}
inline constexpr auto positive = predicate<are_positive>("the factor is not positive");
inline constexpr auto scales_conv = predicate<scales_outputs>("");

inline constexpr auto mul_past_relu_into_conv = rule<"mul-past-relu-into-conv">(
    scaled(op<"Relu">(weighted(x)).as(inner)), where(positive(c), scales_conv(conv, w, b, outer, c)),
    inner(conv(x, tensor<output_scaled_weight>(conv, w, outer, c), opt(tensor<output_scaled_bias>(b, outer, c)))));

inline constexpr auto mul_past_clip_into_conv = rule<"mul-past-clip-into-conv">(
    scaled(op<"Clip">(weighted(x)).with(opt(clip_min), opt(clip_max)).as(inner)),
    where(positive(c), predicate<is_single>("the factor is not one value, or of another dtype")(w, c),
          scales_conv(conv, w, b, outer, c)),
    [](const auto& m, Rewriter& rewriter) {
      const Tensor weights = *m[w].constant(), factor = *m[c].constant();
      const double scale_by = factors_of(m[outer], factor, 1)[0];
      const auto scaled_bound = [&](float end) { return static_cast<float>(static_cast<double>(end) * scale_by); };
      const ClipBounds old(m[inner], m[clip_min], m[clip_max]);
      Value* bias_of = nullptr;
      if (m[b] != nullptr)
        bias_of = &rewriter.constant(output_scaled_bias(*m[b]->constant(), m[outer], factor), m[b]->name());
      Value& weight = rewriter.constant(output_scaled_weight(m[conv], weights, m[outer], factor), m[w].name());
      Value& product = *rewriter.clone(m[conv], {&m[x], &weight, bias_of}).output(0);
      return rewriter.replace(*m[outer].output(0),
                              clip(rewriter, product, weights.dtype(), scaled_bound(old.min), scaled_bound(old.max)));
    });

}  // namespace detail::simplification

using detail::simplification::mul_past_clip_into_conv;
using detail::simplification::mul_past_relu_into_conv;

}  // namespace graft::inline v1
