#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  nodes with any names or none
// After:   Conv_0, Quant_0, Conv_1, ...
//
// Nodes are counted for each operator, in their order, bodies and functions after the main graph. Values, shapes and
// signature stay.

namespace graft::inline v1::qonnx {

/// The pass that calls nodes "<prefix><operator>_<number>". unique_node_names() keeps the names that there are.
Pass numbered_node_names(std::string prefix = "");

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/numbered_node_names.ipp>
#endif
