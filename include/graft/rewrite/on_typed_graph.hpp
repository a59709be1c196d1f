#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// A pass under a name, before which types are inferred. Where it changed the graph and com.microsoft has no node any
/// more, the import of that domain goes.
Pass on_typed_graph(std::string name, const Pass& pass);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/on_typed_graph.ipp>
#endif
