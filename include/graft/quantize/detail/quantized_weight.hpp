#pragma once
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/channels.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_form.hpp>

namespace graft::inline v1::detail {

/// The dtype of the quantized tensor that the weight is multiplied with.
inline DType activation_of(const Node& node, const Target& target) {
  const Node* const dequantize = dequantize_of(node.input(0), target);
  return dequantize != nullptr ? quantized_dtype(*dequantize) : target.activation;
}

/// Of the weight: that of the target if the kernel takes it beside the activation.
inline DType weight_dtype(const Node& node, const Target& target) {
  return integer_kernel(node, target)->weight_beside(activation_of(node, target), target.weight);
}

/// The constant float32 weight of a node in its form, and in the dtype of the target if the kernel takes that. Throws
/// Error naming the weight if it cannot have that form.
inline QuantizedTensor quantized_weight(const Node& node, const WeightForm& form, const Target& target) {
  const Value& weight = *node.input(1);
  try {
    const Tensor tensor = weight.constant().value();
    const DType dtype = weight_dtype(node, target);
    if (is_unsigned_integer(dtype) && !channel_axis(node, tensor.rank()))  // of a normalization: all may be positive
      return quantize_tensor(tensor, choose_qparams(extent_of(tensor.data<float>()).range, dtype));
    return quantize_tensor(tensor, dtype, form.axis(node, tensor.rank()), form.bits_of(node, target), form.clipping);
  } catch (Error& error) {
    throw error.field(weight.name());
  }
}

}  // namespace graft::inline v1::detail
