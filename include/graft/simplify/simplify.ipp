#pragma once
#include <graft/simplify/simplify.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/simplify/eliminate/eliminate_common_subexpressions.hpp>
#include <graft/simplify/eliminate/eliminate_dead_code.hpp>
#include <graft/simplify/rules.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass simplify(FoldOptions options) {
  const Pass shrink = fixpoint(shrinking_rules()).named("shrinking_rules");
  return fixpoint(fold_constants(options) | eliminate_common_subexpressions() | shrink | eliminate_dead_code())
      .named("simplify");
}

}  // namespace graft::inline v1
