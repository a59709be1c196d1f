#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a node is of the main domain and of one of these types.
inline bool is_any(const Node& node, const auto& op_types) {
  return node.domain().empty() &&
         std::find(std::begin(op_types), std::end(op_types), node.op_type()) != std::end(op_types);
}

/// Whether the node has one output, each element of which is made of the elements of the inputs at the same place, by
/// the rules of broadcasting: Relu, Add, Quant with whatever parameters, QuantizeLinear of one scale.
bool is_elementwise(const Node& node);

/// The bias of a Conv, [M], as an operand of a sum: [1, M, 1, ...], of that rank. A constant is reshaped here, a
/// quantizer of constants is built again over reshaped ones, anything else is reshaped by a Reshape.
Value& bias_operand(Value& bias, std::size_t rank, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/elementwise.ipp>
#endif
