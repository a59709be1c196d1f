#pragma once
#include <graft/simplify/clip.hpp>

#include <cmath>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto inner_min = clip_min.named<"inner_min">();

inline constexpr auto inner_max = clip_max.named<"inner_max">();

inline constexpr auto clip_clip = rule<"clip-clip">(
    [] {
      const auto first =
          either(op<"Clip">(single).with(opt(inner_min), opt(inner_max)).as(inner), op<"Relu">(single).as(inner));
      return either(op<"Clip">(first).with(opt(clip_min), opt(clip_max)).as(outer), op<"Relu">(first).as(outer));
    }(),
    [](const auto& m, Rewriter& rewriter) {
      const ClipBounds first(m[inner], m[inner_min], m[inner_max]), second(m[outer], m[clip_min], m[clip_max]);
      if (!(first.min <= first.max) || !(second.min <= second.max))
        return rewriter.decline("a lower bound is above the upper one");
      Value& clipped = clip(rewriter, m[x], m[x].dtype(), second.clamped(first.min), second.clamped(first.max));
      return rewriter.replace(*m[outer].output(0), clipped);
    });

inline constexpr auto bound = cst<"bound">.scalar();

inline constexpr float infinite = std::numeric_limits<float>::infinity();

inline constexpr auto zero_bound = cst<"zero_bound">.scalar().all_equal(0);

inline Verdict bounds(const Value& input, const Tensor& constant) {
  if (std::isnan(constant.item<float>())) return Verdict::no("the bound is not a number");
  return adds_no_axis(input, constant) ? Verdict::yes() : Verdict::no("the bound may raise the rank");
}

inline float float_of(const Tensor& constant) { return constant.item<float>(); }

inline constexpr auto max_0_to_relu = rule<"max-0-to-relu">(comm<"Max">(single, zero_bound).since(8),
                                                            where(predicate<bounds>("")(x, zero_bound)), op<"Relu">(x));

inline constexpr auto max_to_clip =
    rule<"max-to-clip">(comm<"Max">(single, bound).since(8), where(predicate<bounds>("")(x, bound)),
                        op<"Clip">(x).with(clip_min = call<float_of>(bound), clip_max = infinite));

inline constexpr auto min_to_clip =
    rule<"min-to-clip">(comm<"Min">(single, bound).since(8), where(predicate<bounds>("")(x, bound)),
                        op<"Clip">(x).with(clip_min = -infinite, clip_max = call<float_of>(bound)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView clip_clip = rules::clip_clip.view();

GRAFT_INLINE constinit const RuleView max_0_to_relu = rules::max_0_to_relu.view();

GRAFT_INLINE constinit const RuleView max_to_clip = rules::max_to_clip.view();

GRAFT_INLINE constinit const RuleView min_to_clip = rules::min_to_clip.view();

}  // namespace graft::inline v1
