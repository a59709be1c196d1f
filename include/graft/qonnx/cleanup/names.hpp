#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  nodes with any names or none
// After:   Conv_0, Quant_0, Conv_1, ...
//
// The nodes of each operator are numbered in order, bodies and functions after the main graph. Values, shapes and
// signature stay.

/// The pass that names nodes "<prefix><operator>_<number>". unique_node_names() keeps existing names.
Pass numbered_node_names(std::string prefix = "");

// Before:  a = Conv(x, w), y = Relu(a)                              x an input, y an output of the graph
// After:   Conv_0_out0 = Conv(x, Conv_0_param0), y = Relu(Conv_0_out0)
//          or, with the signature, global_in, global_out
//
// The nodes are called Conv_0 and Relu_0: see numbered_node_names(). Outputs of a node are called "<node>_out<i>". An
// initializer is called "<node>_param<i>" after its first reader, where i counts that node's initializers. For nodes
// without a name, the operator is used. If a value that keeps its name has the new name already, "_1" is appended, and
// so on. Inputs of bodies and of functions keep their names. Values and shapes stay; so does the signature, unless the
// option is set.

struct TensorNames {
  /// Inputs of the graph become global_in, global_in_1, ..., its outputs global_out, global_out_1, ... A value that is
  /// both is named as an input. A value that is several outputs is named as the first.
  bool signature = false;
};

Pass readable_tensor_names(TensorNames which = {});

}  // namespace graft::inline v1::qonnx
