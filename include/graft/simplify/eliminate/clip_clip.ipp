#pragma once
#include <graft/simplify/eliminate/clip_clip.hpp>

#include <graft/config.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto inner_min = clip_min.named<"inner_min">();

inline constexpr auto inner_max = clip_max.named<"inner_max">();

inline constexpr auto clip_clip = rule<"clip-clip">(
    [] {
      const auto first = either(op<"Clip">(single).with(opt(inner_min), opt(inner_max)).as(inner),
                                op<"Relu">(single).as(inner));
      return either(op<"Clip">(first).with(opt(clip_min), opt(clip_max)).as(outer), op<"Relu">(first).as(outer));
    }(),
    [](const auto& m, Rewriter& rewriter) {
      const ClipBounds first(m[inner], m[inner_min], m[inner_max]), second(m[outer], m[clip_min], m[clip_max]);
      if (!(first.min <= first.max) || !(second.min <= second.max))
        return rewriter.decline("a lower bound is above the upper one");
      Value& clipped =
          clip(rewriter, m[x], m[x].dtype(), second.clamped(first.min), second.clamped(first.max));
      return rewriter.replace(*m[outer].output(0), clipped);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView clip_clip = vocabulary::clip_clip.view();

}  // namespace graft::inline v1
