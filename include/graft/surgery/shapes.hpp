#pragma once
#include <cstdint>
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y = f(g(x)), with types declared for some values or for none
// After:   the same, with value_info for the inner values of the graph and its bodies, and types of its outputs
//
// Inference fills in declared types, and replaces those that contradict it. Extents of which nothing is known become
// symbols (unk__0, unk__1 ...), those of inputs too, so that equal ones can be told. Values and names of the signature
// do not change.

/// Declares all types that inference finds. Its notes name the nodes whose inputs do not fit, its warnings the declared
/// types that it replaces.
Pass infer_shapes();

// Before:  x: f32[batch,3], y: f32[batch,4]
// After:   x: f32[8,3], y: f32[8,4]
//
// For "batch" and 8, in all types of the graph and its bodies. What follows from it for other extents is inferred. The
// signature changes; values do not, and shapes are those that callers may feed already.

/// Makes a symbolic extent a number wherever it stands. Throws Error, with the graph as it was, if no extent bears the
/// name, the number is negative, or the model does not take it: a node does not fit.
Pass fix_dim(std::string symbol, std::int64_t value);

// Before:  y = f(h), value_info for h
// After:   y = f(h), none
//
// In the graph and its bodies. Types of inputs and outputs, those of bodies too, stay. Values, shapes and signature do
// not change.

/// Takes away what the model declares of inner values, dtypes with shapes. remove_all_tensor_value_shapes() leaves the
/// dtypes; infer_shapes() declares them again.
Pass remove_shapes();

// Before:  y = f(h), value_info h: f32[1,8]
// After:   y = f(h), value_info h: f32
//
// In the graph and its bodies. Types of inputs and outputs, those of bodies too, stay. Values, shapes and signature do
// not change.

/// Takes the shapes out of what the model declares of inner tensors; their dtypes stay. remove_shapes() takes these as
/// well.
Pass remove_all_tensor_value_shapes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/shapes.ipp>
#endif
