#pragma once
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both along the same axis, however it is counted. Nothing else reads the inner Concat; the outer one may at several
// places, which go one after the other.

namespace graft::inline v1 {
namespace detail::simplification {

inline Verdict is_read_by(const Node& producer, const Node& reader) {
  for (const Use& use : producer.output(0)->uses())
    if (use.user() != &reader) return Verdict::no("the inner Concat is also used elsewhere");
  return Verdict::yes();
}

inline constexpr auto concat_concat = rule<"concat-concat">(
    op<"Concat">(left, op<"Concat">(middle).with(axis).as(inner).shared(), right).with(axis).as(outer),
    where(predicate<is_read_by>("")(inner, outer)), outer(left, middle, right));

}  // namespace detail::simplification

using detail::simplification::concat_concat;

}  // namespace graft::inline v1
