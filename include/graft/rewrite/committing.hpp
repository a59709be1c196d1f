#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Runs rules, or a pipeline of them, until nothing is left to do. It commits after every few rewrites, so that
/// replaced weights do not take memory beside the remaining ones. Large graphs commit more seldom, because each commit
/// takes longer. A view is never committed: its owner decides when. Throws Error inside an open Transaction, as
/// commit() does.
Pass committing(const Pass& rules);

}  // namespace graft::inline v1
