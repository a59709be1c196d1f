#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  nodes with any names or none
// After:   Conv_0, Quant_0, Conv_1, ...
//
// Nodes are counted for each operator, in their order, bodies and functions after the main graph. Values, shapes and
// signature stay.

/// The pass that calls nodes "<prefix><operator>_<number>". unique_node_names() keeps the names that there are.
Pass numbered_node_names(std::string prefix = "");

// Before:  a = Conv(x, w), y = Relu(a)                              x an input, y an output of the graph
// After:   Conv_0_out0 = Conv(x, Conv_0_param0), y = Relu(Conv_0_out0)
//          or, with the signature, global_in, global_out
//
// The nodes are called Conv_0 and Relu_0: see numbered_node_names(). What a node makes is called "<node>_out<i>", an
// initializer "<node>_param<i>" after the first node that reads it, i counting its initializers. Nodes without a name
// are called by their operator. A name that is taken by a value that keeps its own gets "_1" behind it, and so
// on. Inputs of bodies and of functions keep their names. Values and shapes stay; the signature does unless asked for.

struct TensorNames {
  /// Inputs of the graph become global_in, global_in_1, ..., its outputs global_out, global_out_1, ... A value that is
  /// both is named as an input, and one that is handed out twice as the first of the outputs.
  bool signature = false;
};

Pass readable_tensor_names(TensorNames which = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/names.ipp>
#endif
