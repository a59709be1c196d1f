#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = f(h), value_info h: f32[1,8]
// After:   y = f(h), value_info h: f32
//
// In the graph and its bodies. Types of inputs and outputs, those of bodies too, stay. Values, shapes and signature do
// not change.

namespace graft::inline v1 {

/// Takes the shapes out of what the model declares of inner tensors; their dtypes stay. remove_shapes() takes these as
/// well.
Pass remove_all_tensor_value_shapes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_all_tensor_value_shapes.ipp>
#endif
