#pragma once
#include <graft/simplify/reshape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool copies_nothing(const Ints& wanted, const std::optional<std::int64_t>& zero_is_meant) {
  return zero_is_meant.value_or(0) != 0 || std::find(wanted.begin(), wanted.end(), 0) == wanted.end();
}

/// The shape without 0; nullopt if an extent is unknown.
inline std::optional<Ints> spelled_out(const Node& before, const Ints& wanted) {
  const Shape from = before.output(0)->shape();
  Ints result = wanted;
  bool infers = std::find(wanted.begin(), wanted.end(), -1) != wanted.end();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] != 0) continue;
    if (!from.known() || i >= from.rank()) return std::nullopt;
    if (!from[i].known() && infers) return std::nullopt;
    result[i] = from[i].known() ? from[i].value() : -1;
    infers = infers || !from[i].known();
  }
  // An extent of 0 cannot be beside -1, which divides by it, nor in a shape where 0 copies.
  if (std::find(result.begin(), result.end(), 0) != result.end()) return std::nullopt;
  return result;
}

inline constexpr auto reshape_reshape =
    rule<"reshape-reshape">(op<"Reshape">(reshaping(x).shared()).with(shape, opt(allowzero)).as(outer),
                            where(predicate<copies_nothing>("its shape copies an extent")(shape, allowzero)), outer(x));

inline constexpr auto reshape_reshape_copying = rule<"reshape-reshape-copying">(
    op<"Reshape">(reshaping(x).shared().as(inner)).with(shape, opt(allowzero == 0)).as(outer),
    outer(x).with(shape = call<spelled_out>(inner, shape)));

/// The target of a Reshape as constants, relative to the shape of its input.
struct ReshapeTarget {
  Ints numbers{};
  bool copies = false;  ///< a 0 stands for an extent of the input

  /// nullopt if two elements are unknown, or if a 0 would change its meaning.
  static std::optional<ReshapeTarget> of(const Shape& from, const Contents& target, bool zero_is_meant) {
    ReshapeTarget result;
    bool infers = false, has_zero = false;
    for (std::size_t i = 0; i < target.elements.size(); ++i) {
      const Integer& element = target.elements[i];
      if (element.known() && element.value() != -1) {
        has_zero = has_zero || element.is(0);
        result.numbers.push_back(element.value());
      } else if (element.symbolic() && i < from.rank() && same_size(from[i], element.dim())) {
        result.copies = true;
        result.numbers.push_back(0);
      } else {
        if (infers) return std::nullopt;
        infers = true;
        result.numbers.push_back(-1);
      }
    }
    const bool is_mixed = zero_is_meant ? result.copies || infers : false;
    return has_zero && is_mixed ? std::nullopt : std::optional(std::move(result));
  }
};

inline Verdict with_target(const Node& node, const Ints& numbers, Rewriter& rewriter) {
  rewriter.keep_known_contents();
  Value& before = *node.input(1);
  rewriter.set_input(node.use(1), &rewriter.ints(numbers, before.name()));
  return Verdict::yes();
}

inline constexpr auto known_reshape_target = rule<"known-reshape-target">(
    op<"Reshape">(x, y).with(opt(allowzero)).as(outer), [](const auto& m, Rewriter& rewriter) {
      if (m[y].is_constant()) return Verdict::no("its target is constant");
      const Contents* const target = rewriter.known_contents().contents(m[y]);
      if (target == nullptr || target->dims.size() != 1) return Verdict::no("the rank of its result is not known");
      const bool zero_is_meant = m[allowzero].value_or(0) != 0;
      auto wanted = ReshapeTarget::of(m[x].shape(), *target, zero_is_meant);
      if (!wanted)
        return Verdict::no("several elements of its target are not known, or a 0 in it would change its meaning");
      if (zero_is_meant && wanted->copies) rewriter.remove_attribute(m[outer], "allowzero");
      return with_target(m[outer], std::move(wanted->numbers), rewriter);
    });

inline constexpr auto known_expand_target =
    rule<"known-expand-target">(op<"Expand">(x, y).as(outer), [](const auto& m, Rewriter& rewriter) {
      if (m[y].is_constant()) return Verdict::no("its target is constant");
      const Contents* const target = rewriter.known_contents().contents(m[y]);
      if (target == nullptr || target->dims.size() != 1) return Verdict::no("the rank of its result is not known");
      const Shape from = m[x].shape();
      Ints numbers;
      for (std::size_t i = 0; i < target->elements.size(); ++i) {
        const Integer& element = target->elements[i];
        const std::size_t from_last = target->elements.size() - i;
        const bool is_own = from.known() && from_last <= from.rank() &&
                            same_size(from[from.rank() - from_last], element.dim()) && element.symbolic();
        if (!element.known() && !is_own)
          return Verdict::no("an element of its target is neither known nor the input's extent");
        numbers.push_back(is_own ? 1 : element.value());
      }
      return with_target(m[outer], std::move(numbers), rewriter);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView reshape_reshape = rules::reshape_reshape.view();

GRAFT_INLINE constinit const RuleView reshape_reshape_copying = rules::reshape_reshape_copying.view();

GRAFT_INLINE constinit const RuleView known_expand_target = rules::known_expand_target.view();

GRAFT_INLINE constinit const RuleView known_reshape_target = rules::known_reshape_target.view();

}  // namespace graft::inline v1
