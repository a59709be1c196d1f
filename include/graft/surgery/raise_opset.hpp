#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Raises the version of the main domain, in the main graph, all bodies, and local functions that import an older one:
/// each node becomes what means the same there. The ir_version follows; initializers that are inputs too stop being
/// inputs where they would become overridable (IR 4), since below they were constants. A model that is there already is
/// left alone. Types should be inferred before (infer_shapes): Softmax of unknown rank takes three more nodes, Clip of
/// unknown dtype is taken for float, and refused in a function, where no types are known. Functions are replaced.
/// OneHot's indices must not be negative below opset 11, as ONNX has it; from there on they count from the end.
/// Throws Error naming the node that cannot be raised; the model is then as it was.
void raise_opset(Model& model, int target);

/// The pass that raises the model around the graph, after inferring types.
Pass raise_opset(int target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/raise_opset.ipp>
#endif
