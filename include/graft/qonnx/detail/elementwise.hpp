#pragma once
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether the node has one output, each element of which is made of the elements of the inputs at the same place, by
/// the rules of broadcasting: Relu, Add, Quant with whatever parameters, QuantizeLinear of one scale.
bool is_elementwise(const Node& node);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/elementwise.ipp>
#endif
