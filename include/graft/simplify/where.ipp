#pragma once
#include <graft/simplify/where.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto known_choice =
    rule<"known-choice">(op<"Where">(selector, x, y).as(outer), [](const auto& m, Rewriter& rewriter) {
      const std::optional<Ints> choices = rewriter.known_contents().ints(m[selector]);
      if (!choices || choices->empty()) return Verdict::no("its condition is not known");
      const bool first = choices->front() != 0;
      const bool is_mixed = std::any_of(choices->begin(), choices->end(),
                                        [first](std::int64_t choice) { return (choice != 0) != first; });
      if (is_mixed) return Verdict::no("it chooses elements of both");
      Value& chosen = first ? m[x] : m[y];
      if (!same_size(chosen.shape(), m[outer].output(0)->shape())) return Verdict::no("it may change the shape");
      rewriter.keep_known_contents();
      return rewriter.replace(*m[outer].output(0), chosen);
    });

inline constexpr auto where_not =
    rule<"where-not">(op<"Where">(op<"Not">(selector), x, y).as(outer), outer(selector, y, x));

}  // namespace rules

GRAFT_INLINE constinit const RuleView known_choice = rules::known_choice.view();

GRAFT_INLINE constinit const RuleView where_not = rules::where_not.view();

}  // namespace graft::inline v1
