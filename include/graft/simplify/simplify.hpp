#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/fold/fold_constants.hpp>

namespace graft::inline v1 {

/// Folds constants, merges what is computed twice, applies shrinking_rules() and drops what nothing uses, again and
/// again until nothing changes.
Pass simplify(FoldOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/simplify.ipp>
#endif
