#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Raises the version of the main domain, in the main graph, all bodies, and local functions with an older import. Each
/// node is replaced by one of the same meaning. The ir_version is raised, too. Below IR 4, initializers that are inputs
/// are constants; at IR 4 callers could override them, so they stop being inputs. A model with that version or a newer
/// one stays.
///
/// Infer types before (infer_shapes): a Softmax of unknown rank takes three more nodes, and a Clip of unknown dtype
/// counts as float. A function has no types, so such a Clip in a function fails. Functions are replaced. Indices of
/// OneHot must not be negative below opset 11, as ONNX requires; since then they count from the end. Throws Error with
/// the node that cannot be raised; the model is then as it was.
void raise_opset(Model& model, int target);

/// The same as a pass over the model of the graph. Infers types first.
Pass raise_opset(int target);

}  // namespace graft::inline v1
