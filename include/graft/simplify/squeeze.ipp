#pragma once
#include <graft/simplify/squeeze.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace rules {

/// The i-th non-negative integer that is not among `taken`.
inline std::int64_t nth_free(std::int64_t i, const Ints& taken) {
  Ints sorted = taken;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t other : sorted) i += other <= i ? 1 : 0;
  return i;
}

inline std::optional<Ints> squeezed_axes(const Ints& first, const Ints& second) {
  if (first.empty() || second.empty()) return std::nullopt;
  Ints all = first;
  for (const std::int64_t which : second) all.push_back(nth_free(which, first));
  std::sort(all.begin(), all.end());
  return all;
}

inline constexpr auto squeeze_squeeze =
    rule<"squeeze-squeeze">(op<"Squeeze">(op<"Squeeze">(x).with(inner_axes).shared()).with(axes).as(outer),
                            outer(x).with(axes = call<squeezed_axes>(inner_axes, axes)));

inline constexpr auto squeeze_squeeze_all = rule<"squeeze-squeeze-all">(
    op<"Squeeze">(op<"Squeeze">(x, rest<>).with(opt(attr<"axes", Ints>)).shared()), op<"Squeeze">(x));

inline Ints unsqueezed_axes(const Ints& first, const Ints& second) {
  Ints all = second;
  for (const std::int64_t which : first) all.push_back(nth_free(which, second));
  std::sort(all.begin(), all.end());
  return all;
}

inline constexpr auto unsqueeze_unsqueeze =
    rule<"unsqueeze-unsqueeze">(op<"Unsqueeze">(op<"Unsqueeze">(x).with(inner_axes).shared()).with(axes).as(outer),
                                outer(x).with(axes = call<unsqueezed_axes>(inner_axes, axes)));

inline bool are_same_axes(Ints first, Ints second) {
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return first == second && !first.empty();
}

inline constexpr auto back_again = predicate<are_same_axes>("the axes differ");

inline constexpr auto squeeze_unsqueeze = rule<"squeeze-unsqueeze">(
    op<"Squeeze">(op<"Unsqueeze">(x).with(inner_axes).shared()).with(axes), where(back_again(inner_axes, axes)), x);

inline constexpr auto unsqueeze_squeeze = rule<"unsqueeze-squeeze">(
    op<"Unsqueeze">(op<"Squeeze">(x).with(inner_axes).shared()).with(axes), where(back_again(inner_axes, axes)), x);

/// Whether each 0 that copies an extent is at the same place in both shapes.
inline bool copies_alike(const Ints& before, const Ints& after, const std::optional<std::int64_t>& zero_is_meant) {
  if (zero_is_meant.value_or(0) != 0) return true;
  const std::size_t common = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const bool first = i < before.size() && before[i] == 0, second = i < after.size() && after[i] == 0;
    if (first != second || (first && i >= common)) return false;
  }
  return true;
}

inline std::optional<Ints> without_axes(const Ints& wanted, const Ints& squeezed,
                                        const std::optional<std::int64_t>& zero_is_meant) {
  Ints result = wanted, sorted = squeezed;
  std::sort(sorted.rbegin(), sorted.rend());
  for (const std::int64_t at : sorted) {
    const bool is_there = at >= 0 && at < static_cast<std::int64_t>(result.size());
    if (!is_there || result[static_cast<std::size_t>(at)] != 1) return std::nullopt;
    result.erase(result.begin() + at);
  }
  return copies_alike(wanted, result, zero_is_meant) ? std::optional(result) : std::nullopt;
}

inline std::optional<Ints> with_ones(const Ints& wanted, const Ints& unsqueezed,
                                     const std::optional<std::int64_t>& zero_is_meant) {
  Ints result = wanted, sorted = unsqueezed;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t at : sorted) {
    if (at < 0 || at > static_cast<std::int64_t>(result.size())) return std::nullopt;
    result.insert(result.begin() + at, 1);
  }
  return copies_alike(wanted, result, zero_is_meant) ? std::optional(result) : std::nullopt;
}

inline constexpr auto squeeze_reshape =
    rule<"squeeze-reshape">(op<"Squeeze">(op<"Reshape">(x).with(shape, opt(allowzero)).shared().as(inner)).with(axes),
                            inner(x).with(shape = call<without_axes>(shape, axes, allowzero)));

inline constexpr auto unsqueeze_reshape = rule<"unsqueeze-reshape">(
    op<"Unsqueeze">(op<"Reshape">(x).with(shape, opt(allowzero)).shared().as(inner)).with(axes),
    inner(x).with(shape = call<with_ones>(shape, axes, allowzero)));

/// The product of the extents [begin, end); nullopt if one is unknown or 0.
inline std::optional<std::int64_t> known_product(const Shape& from, std::size_t begin, std::size_t end) {
  std::int64_t product = 1;
  for (std::size_t i = begin; i < end; ++i)
    if (!from[i].known() || from[i].value() == 0 || builtins::multiply_overflows(product, from[i].value(), product))
      return std::nullopt;
  return product;
}

inline std::optional<Ints> flattened(const Node& flatten) {
  const Shape from = flatten.input(0)->shape();
  if (!from.known()) return std::nullopt;
  const std::int64_t given = flatten.attr<std::int64_t>("axis").value_or(1);
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (given < -rank || given > rank) return std::nullopt;
  const auto at = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const auto in_front = known_product(from, 0, at), behind = known_product(from, at, from.rank());
  if (!in_front && !behind) return std::nullopt;
  return Ints{in_front.value_or(-1), behind.value_or(-1)};
}

/// The shape of a node's output, as the target of a Reshape.
inline std::optional<Ints> reshaping_target(const Node& node) {
  if (node.is("Flatten")) return flattened(node);
  const Shape to = node.output(0)->shape();
  if (!to.known()) return std::nullopt;
  Ints target;
  for (std::size_t i = 0; i < to.rank(); ++i) {
    if (to[i].known() && to[i].value() == 0) return std::nullopt;
    target.push_back(to[i].known() ? to[i].value() : -1);
  }
  return std::count(target.begin(), target.end(), -1) <= 1 ? std::optional(target) : std::nullopt;
}

inline constexpr auto known_reshaping =
    rule<"known-reshaping">(one_of<"Flatten", "Squeeze", "Unsqueeze">(reshaping(x).shared(), rest<>)
                                .with(opt(any_axis.named<"outer_axis">()), opt(any_axes.named<"outer_axes">()))
                                .as(outer),
                            op<"Reshape">(x).with(shape = call<reshaping_target>(outer)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView squeeze_squeeze = rules::squeeze_squeeze.view();

GRAFT_INLINE constinit const RuleView squeeze_squeeze_all = rules::squeeze_squeeze_all.view();

GRAFT_INLINE constinit const RuleView unsqueeze_unsqueeze = rules::unsqueeze_unsqueeze.view();

GRAFT_INLINE constinit const RuleView squeeze_unsqueeze = rules::squeeze_unsqueeze.view();

GRAFT_INLINE constinit const RuleView unsqueeze_squeeze = rules::unsqueeze_squeeze.view();

GRAFT_INLINE constinit const RuleView known_reshaping = rules::known_reshaping.view();

GRAFT_INLINE constinit const RuleView squeeze_reshape = rules::squeeze_reshape.view();

GRAFT_INLINE constinit const RuleView unsqueeze_reshape = rules::unsqueeze_reshape.view();

}  // namespace graft::inline v1
