#pragma once
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/simplify/drop_dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/merge_common_subexpressions.hpp>
#include <graft/simplify/rules.hpp>

namespace graft::inline v1 {

/// Folds constants, merges what is computed twice, applies shrinking_rules() and drops what nothing uses, again and
/// again until nothing changes.
inline Pass simplify(FoldOptions options = {}) {
  return fixpoint(fold_constants(options) | merge_common_subexpressions() | fixpoint(shrinking_rules()) |
                  drop_dead_code())
      .named("simplify");
}

}  // namespace graft::inline v1
