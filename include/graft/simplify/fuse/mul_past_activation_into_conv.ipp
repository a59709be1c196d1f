#pragma once
#include <graft/simplify/fuse/mul_past_activation_into_conv.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/mul_into_conv.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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
      const float most = greatest(m[inner].graph(), weights.dtype());  // where there is no bound, there is none after
      const auto scaled_bound = [&](float end) {
        return std::abs(end) == most ? end : static_cast<float>(static_cast<double>(end) * scale_by);
      };
      const ClipBounds old(m[inner], m[clip_min], m[clip_max]);
      Value* bias_of = nullptr;
      if (m[b] != nullptr)
        bias_of = &rewriter.constant(output_scaled_bias(*m[b]->constant(), m[outer], factor), m[b]->name());
      Value& weight = rewriter.constant(output_scaled_weight(m[conv], weights, m[outer], factor), m[w].name());
      Value& product = *rewriter.clone(m[conv], {&m[x], &weight, bias_of}).output(0);
      return rewriter.replace(*m[outer].output(0),
                              clip(rewriter, product, weights.dtype(), scaled_bound(old.min), scaled_bound(old.max)));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView mul_past_clip_into_conv = vocabulary::mul_past_clip_into_conv.view();

GRAFT_INLINE constinit const RuleView mul_past_relu_into_conv = vocabulary::mul_past_relu_into_conv.view();

}  // namespace graft::inline v1
