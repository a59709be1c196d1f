#pragma once
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Mul(f(x, w, b?), c), in either order, or Div(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w', b'?)              w'[m,...] = w[m,...] * c[m]    b'[m] = b[m] * c[m]      or / c[m]
//
// w, b and c are constant floats; c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but the second. w' and b' are finite in their dtype, and fresh: a shared w stays as it
// is. b of a Gemm is of rank 1, and beta 1.

namespace graft::inline v1 {
namespace vocabulary {

Tensor output_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                            const Tensor& constant);

Tensor output_scaled_bias(const Tensor& old, const Node& operation, const Tensor& constant);

Verdict scales_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                       const Node& operation, const Tensor& constant);

}  // namespace vocabulary

extern const RuleView mul_into_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/mul_into_conv.ipp>
#endif
