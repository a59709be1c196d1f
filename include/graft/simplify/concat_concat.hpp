#pragma once
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both along the same axis, however it is counted. Nothing else reads the inner Concat.

namespace graft::inline v1 {
namespace simplification {

inline constexpr auto concat_concat =
    rule<"concat-concat">(op<"Concat">(left, op<"Concat">(middle).with(axis), right).with(axis).as(outer),
                          outer(left, middle, right));

}  // namespace simplification

using simplification::concat_concat;

}  // namespace graft::inline v1
