#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a node is of the main domain and has one of these types.
inline bool is_any(const Node& node, const auto& op_types) {
  return node.domain().empty() &&
         std::find(std::begin(op_types), std::end(op_types), node.op_type()) != std::end(op_types);
}

/// Whether the node has one output, and each output element depends only on the input elements at the same place, after
/// broadcasting: Relu, Add, Quant with any parameters, QuantizeLinear of one scale.
bool is_elementwise(const Node& node);

/// The bias of a Conv, [M], as an operand of a sum: [1, M, 1, ...] of this rank. A constant is reshaped here, a
/// quantizer of constants is copied over reshaped ones, and other values get a Reshape.
Value& bias_operand(Value& bias, std::size_t rank, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail
