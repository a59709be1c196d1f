#pragma once
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Whether a mask, to be added to scores of `steps` queries and `keys` keys, is known to hide the keys behind each
/// query, with 0 elsewhere, and to hide nothing else. So many keys as `past` are in front of the first query. A
/// constant is, or Where(c, 0, low) with c = LessOrEqual(Range(0, keys), Range(0, steps) + past) or the like; low is
/// below -1e30, in f16 the lowest.
bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps, const Dim& keys);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/causal_mask.ipp>
#endif
