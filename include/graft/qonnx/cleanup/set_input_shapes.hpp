#pragma once
#include <map>
#include <string>

#include <graft/graph/dims.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  x: f32[N,3,H,W], y: f32[N,8,?,?]
// After:   x: f32[1,3,32,32], y: f32[1,8,30,30]      for {"x", {1, 3, 32, 32}}
//
// Types of inner values and of outputs are inferred again. Shapes of the signature change; what the model computes of
// an input of that shape does not.

namespace graft::inline v1::qonnx {

/// The pass that gives inputs of the graph these shapes. Throws Error, with the graph as it was, for a name of no
/// input, another rank or another extent than is declared, a negative extent, and if a node does not take what follows.
Pass set_input_shapes(std::map<std::string, Dims> shapes);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/set_input_shapes.ipp>
#endif
