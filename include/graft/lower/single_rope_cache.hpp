#pragma once
#include <graft/pattern/arg.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  If(condition) {then_branch={cosines, sines}, else_branch={cosines, sines}}, read as caches by
//          GroupQueryAttention or RotaryEmbedding of com.microsoft
// After:   the cosines and sines of one branch
//
// Both branches give constants, whose numbers of rows differ, the same way for all outputs: a small and a large cache.
// Nothing else reads them. Values change where the condition would choose the other one: sequences must then be as
// short as the small cache is long, or be meant for the large one throughout.

namespace graft::inline v1 {

extern const RuleView single_rope_cache;

/// The rule's argument: whether the cache with more rows stays. If it is not given, the other one does.
inline constexpr auto keeps_large_cache = arg<"keeps_large_cache", bool>;

/// The pass that does this everywhere. What only the condition needed goes.
Pass single_rope_caches(bool large = false);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/single_rope_cache.ipp>
#endif
