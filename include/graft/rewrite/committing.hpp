#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Runs rules, or a pipeline of them, until they have nothing more to do, and commits after every few of them:
/// weights that they replaced no longer take memory beside those which are still to be replaced. Of a large graph,
/// whose commit takes its time, more of them. A view is not committed, which is its owner's to do. Throws Error inside
/// an open Transaction, as commit() does.
Pass committing(const Pass& rules);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/committing.ipp>
#endif
