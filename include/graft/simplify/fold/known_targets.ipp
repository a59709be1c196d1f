#pragma once
#include <graft/simplify/fold/known_targets.hpp>

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
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// What a Reshape's target says of the shape of its input, as constants can say it.
struct ReshapeTarget {
  Ints numbers{};
  bool copies = false;  ///< a 0 stands for an extent of the input

  /// nullopt if more than one element is left open, or if a 0 would be taken for another thing than it is.
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

inline constexpr auto known_reshape_target =
    rule<"known-reshape-target">(op<"Reshape">(x, y).with(opt(allowzero)).as(outer), [](const auto& m,
                                                                                        Rewriter& rewriter) {
      if (m[y].is_constant()) return Verdict::no("its target is constant");
      const Contents* const target = rewriter.known_contents().contents(m[y]);
      if (target == nullptr || target->dims.size() != 1) return Verdict::no("the rank of its result is not known");
      const bool zero_is_meant = m[allowzero].value_or(0) != 0;
      auto wanted = ReshapeTarget::of(m[x].shape(), *target, zero_is_meant);
      if (!wanted) return Verdict::no("its target has several extents that the input has not");
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
        if (!element.known() && !is_own) return Verdict::no("its target has an extent that the input has not");
        numbers.push_back(is_own ? 1 : element.value());
      }
      return with_target(m[outer], std::move(numbers), rewriter);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView known_expand_target = vocabulary::known_expand_target.view();

GRAFT_INLINE constinit const RuleView known_reshape_target = vocabulary::known_reshape_target.view();

}  // namespace graft::inline v1
