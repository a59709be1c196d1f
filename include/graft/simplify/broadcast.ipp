#pragma once
#include <graft/simplify/broadcast.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether a value has all extents of an Expand's target, except those that are 1.
inline bool has_extents(const Value& value, const Value& target, KnownContents& known) {
  const Node* const measured = made_by(target, "Shape");
  if (measured != nullptr && measured->input(0) == &value && measured->proto().attribute_size() == 0) return true;
  const Shape shape = value.shape();
  const Contents* const wanted = known.contents(target);
  if (wanted == nullptr || !shape.known() || wanted->elements.size() > shape.rank()) return false;
  for (std::size_t from_back = 1; from_back <= wanted->elements.size(); ++from_back) {
    const Integer& each = wanted->elements[wanted->elements.size() - from_back];
    if (!each.is(1) && !same_value(each, Integer(shape[shape.rank() - from_back]))) return false;
  }
  return true;
}

}  // namespace detail

namespace rules {

inline constexpr auto broadcast_expand = rule<"broadcast-expand">(
    one_of<"Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mul", "Or",
           "Pow", "Sub", "Where", "Xor">(left)
        .since(8)
        .as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Node& node = m[outer];
      const std::size_t count = node.input_count();
      for (std::size_t i = 0; i < count; ++i) {
        const Node* const expand = node.input(i) != nullptr ? made_by(*node.input(i), "Expand", 2) : nullptr;
        if (expand == nullptr) continue;
        for (std::size_t k = 0; k < count; ++k) {
          if (k == i || node.input(k) == nullptr) continue;
          if (!detail::has_extents(*node.input(k), *expand->input(1), rewriter.known_contents())) continue;
          rewriter.keep_known_contents();
          rewriter.set_input(node.use(i), expand->input(0));
          return Verdict::yes();
        }
      }
      return Verdict::no("no operand is an Expand to the extents of another");
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView broadcast_expand = rules::broadcast_expand.view();

}  // namespace graft::inline v1
