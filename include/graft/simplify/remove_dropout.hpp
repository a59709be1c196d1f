#pragma once
#include <cstdint>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Dropout(x, ratio?, training_mode?)
// After:   x
//
// In inference: from opset 12 on training_mode is absent or a constant false, before 7 is_test is 1; between it knows
// nothing else. The mask is not used.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto remove_dropout =
    rule<"remove-dropout">(op<"Dropout">(x, opt(any), opt(cst<"training_mode">.all_equal(0)))
                               .with(opt(attr<"ratio", float>), opt(attr<"seed", std::int64_t>),
                                     opt(attr<"is_test", std::int64_t> == 1)),
                           x);

}  // namespace detail::simplification

using detail::simplification::remove_dropout;

}  // namespace graft::inline v1
