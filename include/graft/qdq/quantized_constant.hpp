#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/quantize_tensor.hpp>

namespace graft::inline v1 {

/// A quantized tensor in a graph, which several DequantizeLinear may read.
struct QuantizedConstant {
  Value* data = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< nullptr: 0
  std::optional<std::size_t> axis;
};

QuantizedConstant add_quantized(Graph& graph, QuantizedTensor tensor, std::string_view hint);

/// Inserts a DequantizeLinear of the constant before a node. An axis requires opset 13.
Value& insert_dequantize(const QuantizedConstant& constant, Node& before, std::string_view hint);

/// The quantized input of a DequantizeLinear, if it is constant, with one scale or one for each index of an axis; else
/// nullopt.
std::optional<QuantizedTensor> quantized_constant(const Node& dequantize);

/// Raises scales of a quantized constant of 8-bit integers to at least `least`, and rounds its integers again: elements
/// change by at most half of `least`. Scales of 0 stay. Returns false if it has no smaller scale, and for other inputs.
/// The DequantizeLinear gets constants of its own.
bool raise_scales(Node& dequantize, float least);

}  // namespace graft::inline v1
