#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/problem.hpp>

namespace graft::inline v1::qonnx {

/// Nodes of QONNX's domains in all scopes that no runtime computes, and why: there is no such operator or rounding
/// mode; or, of quantizers, inputs are too many or too few, parameters are neither float32 nor integers, or do not
/// broadcast to x, scales are not positive and finite, or bit widths are below 1. What is not known is taken to be
/// right; infer shapes first.
std::vector<Problem> verify_quantizers(Graph& graph);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/verify_quantizers.ipp>
#endif
