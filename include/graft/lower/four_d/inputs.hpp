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
// All readers of x read the result. If one of them is an Unsqueeze of constant axes, it becomes the new node. It keeps
// its axes if they make x 4-D, else it gets these. Inputs stay if they have a default, no readers, or another rank.

struct FourDInputs {
  Ints axes_of_rank_2{0, -1}, axes_of_rank_3{1};  // axes of Unsqueeze
  std::vector<std::string> names{};               // of inputs; empty: all
};

/// Adds axes after the inputs of a net, so that it computes with 4-D data. Inputs keep their shapes. The values and
/// shapes of all later nodes change by design. Declared outputs stay, and four_d_model_outputs() makes them true again.
/// Throws Error if no input has a given name, and if the axes do not make rank 4.
Pass four_d_model_inputs(FourDInputs how = {});

// Before:  Add(x, c), Sub, Mul, Div or Pow, in either order      c: f[K], f[H,W] or f[C,H,W]
// After:   Add(x, c')                                            c': f[1,1,1,K], f[1,1,H,W] or f[1,C,H,W]
//
// Before:  MatMul(x, c)                                          c: f[B,K,N]
// After:   MatMul(x, c')                                         c': f[1,B,K,N]
//
// Before:  Conv(x, c)                                            c: f[K,C], x of rank 4, or of unknown rank
// After:   Conv(x, c')                                           c': f[C,K,1,1], c transposed
//
// c is constant. Matrices of MatMul or Gemm stay: matmul_to_transpose_conv_transpose turns them into kernels. Constants
// of integers stay, and so do constants of other operators. The leading 1s keep the broadcast.

/// Gives rank 4 to constants that a net computes with. The pass decides for each reader; other readers keep the
/// constant as it is. If the other operand is not of rank 4, the rank of the result changes by design. Covers bodies,
/// not functions.
Pass four_d_initializers();

}  // namespace graft::inline v1
