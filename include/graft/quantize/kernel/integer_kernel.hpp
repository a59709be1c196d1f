#pragma once
#include <cstddef>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// The kernel of the target that computes a node in integers; nullptr if there is none for its operator and opset.
const IntegerKernel* integer_kernel(const Node& node, const Target& target);

/// The same, be it for other opsets than the node's.
const IntegerKernel* kernel_of_any_opset(const Node& node, const Target& target);

/// A convolution that the target computes in integers, which is what placements quantize.
inline bool is_integer_conv(const Node& node, const Target& target) {
  return node.op_type() == "Conv" && integer_kernel(node, target) != nullptr;
}

namespace detail {

bool is_dequantized(const Value& value);

/// Where the operands of an operator without a weight end.
std::size_t operand_end(const Node& node, const IntegerKernel& kernel);

/// The dtype of activations when the runtime chooses kernels.
inline DType dtype_seen(const Target& target) {
  return target.has(Quirk::converts_int8_to_uint8) && target.activation == DType::i8 ? DType::u8 : target.activation;
}

}  // namespace detail

/// Whether a node takes part with its weight: a convolution always, another product where its input is quantized.
bool is_quantized_product(const Node& node, const Target& target);

}  // namespace graft::inline v1
