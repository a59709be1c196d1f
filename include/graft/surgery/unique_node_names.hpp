#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Every node of the graph, its bodies and the functions gets a name that no other node has: one without a name is
/// called by its operator and first output, as in "Conv(y)", which reports call it by anyway; of several with one name
/// the first keeps it. Runtimes that fuse nodes make up names from those that there are, and refuse a model in which
/// two are alike.
Pass unique_node_names();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/unique_node_names.ipp>
#endif
