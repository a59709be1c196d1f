#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = f(h), value_info for h
// After:   y = f(h), none
//
// In the graph and its bodies. Types of inputs and outputs, those of bodies too, stay. Values, shapes and signature do
// not change.

namespace graft::inline v1 {

/// Takes away what the model declares of inner values, dtypes with shapes. remove_all_tensor_value_shapes() leaves the
/// dtypes; infer_shapes() declares them again.
Pass remove_shapes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_shapes.ipp>
#endif
