#pragma once
#include <cstdint>
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y = f(g(x)), with types declared for some values or for none
// After:   the same, with value_info for the inner values of the graph and its bodies, and types of its outputs
//
// Inference completes declared types, and replaces those that contradict it. Unknown extents become symbols (unk__0,
// unk__1 ...), in inputs, too, so that equal ones can be recognized. Values, and names in the signature, stay.

/// Declares all inferred types. Notes name nodes with inputs that do not fit; warnings name declared types that the
/// pass replaces.
Pass infer_shapes();

// Before:  x: f32[batch,3], y: f32[batch,4]
// After:   x: f32[8,3], y: f32[8,4]
//
// The example is for "batch" and 8, in all types of the graph and its bodies. Dependent extents are inferred. The
// signature changes; values stay, and callers could feed these shapes before.

/// Replaces a symbolic extent by a number everywhere. Throws Error, with the graph as it was, if no extent has the
/// name, if the number is negative, or if a node does not support it.
Pass fix_dim(std::string symbol, std::int64_t value);

// Before:  y = f(h), value_info for h
// After:   y = f(h), none
//
// Covers the graph and its bodies. Types of inputs and outputs stay, those of bodies, too. Values, shapes and signature
// stay.

/// Removes the declared types of inner values, dtypes and shapes. remove_all_tensor_value_shapes() keeps the dtypes;
/// infer_shapes() declares the types again.
Pass remove_shapes();

// Before:  y = f(h), value_info h: f32[1,8]
// After:   y = f(h), value_info h: f32
//
// Covers the graph and its bodies. Types of inputs and outputs stay, those of bodies, too. Values, shapes and signature
// stay.

/// Removes the shapes of inner tensors from their declared types; the dtypes stay. remove_shapes() removes these, too.
Pass remove_all_tensor_value_shapes();

}  // namespace graft::inline v1
