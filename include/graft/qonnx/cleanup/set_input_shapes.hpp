#pragma once
#include <map>
#include <string>

#include <graft/graph/dims.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  x: f32[N,3,H,W], y: f32[N,8,?,?]
// After:   x: f32[1,3,32,32], y: f32[1,8,30,30]      for {"x", {1, 3, 32, 32}}
//
// Types of inner values and of outputs are inferred again. Shapes of the signature change; outputs for an input of that
// shape do not.

namespace graft::inline v1::qonnx {

/// The pass that sets the shapes of graph inputs. Throws Error, without changing the graph, for a name that is not an
/// input, and for a rank or an extent that differs from the declared one. Throws Error for a negative extent, and if a
/// node does not accept the resulting shapes.
Pass set_input_shapes(std::map<std::string, Dims> shapes);

}  // namespace graft::inline v1::qonnx
