#pragma once
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/name_pattern.hpp>

namespace graft::inline v1::detail {

/// "no node is called 'cnv'; did you mean 'conv'?" Nodes are called as by display_name(). Of the name of a tensor it
/// says which node makes it.
std::string no_node_called(const NamePattern& pattern, const Graph& graph);

/// The same of tensors. Of the name of a node it says what it makes.
std::string no_tensor_called(const NamePattern& pattern, const Graph& graph);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/unmatched_name.ipp>
#endif
