#pragma once
#include <string>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(x)                             x: [H,W], an input of the graph
// After:   f(Unsqueeze(x, [0,-1]))
//
// Before:  f(x)                             x: [B,H,W]
// After:   f(Unsqueeze(x, [1]))
//
// All nodes that read x read the result. If one of them is an Unsqueeze of constant axes, it takes this place: its axes
// stay if they make x 4-D, and become these if not. Inputs that have a default, that no node reads, or of another rank
// stay.

struct FourDInputs {
  Ints axes_of_rank_2{0, -1}, axes_of_rank_3{1};  // which Unsqueeze adds
  std::vector<std::string> names{};               // of inputs; none: all
};

/// The pass that adds axes behind the inputs of a net, so that it computes with 4-D data. Inputs keep their shapes. The
/// values and shapes of all that follows change by design; outputs stay declared as they were, and
/// four_d_model_outputs() makes that true again. Throws Error for a name that no input has, and for axes that do not
/// make rank 4.
Pass four_d_model_inputs(FourDInputs how = {});

// Before:  Add(x, c), Sub, Mul, Div or Pow, in either order      c: f[K], f[H,W] or f[C,H,W]
// After:   Add(x, c')                                            c': f[1,1,1,K], f[1,1,H,W] or f[1,C,H,W]
//
// Before:  MatMul(x, c)                                          c: f[B,K,N]
// After:   MatMul(x, c')                                         c': f[1,B,K,N]
//
// Before:  Conv(x, c)                                            c: f[K,C], x of rank 4, or not known to be another
// After:   Conv(x, c')                                           c': f[C,K,1,1], c transposed
//
// c is constant. Matrices that MatMul or Gemm read stay: matmul_to_transpose_conv_transpose makes kernels of them. So
// do constants of integers, and those that other operators read. The leading 1s keep what is broadcast.

/// The pass that gives constants rank 4 where a net computes with them. It decides for each node that reads one; the
/// others keep the constant as it is. The rank of a result changes by design if the other operand is not of rank 4.
/// Covers bodies, not functions.
Pass four_d_initializers();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/inputs.ipp>
#endif
