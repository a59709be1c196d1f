#pragma once
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/name_pattern.hpp>

namespace graft::inline v1 {

/// The message that a pattern matches no node: "no node is called 'cnv'; did you mean 'conv'?" The names of nodes are
/// those of display_name(). For the name of a tensor, the message names its producer.
std::string no_node_called(const NamePattern& pattern, const Graph& graph);

/// The same for tensors. For the name of a node, the message names its output.
std::string no_tensor_called(const NamePattern& pattern, const Graph& graph);

}  // namespace graft::inline v1
