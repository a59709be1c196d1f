#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

// Weights: constants, or quantizers over constants.

namespace graft::inline v1::qonnx::detail {

/// Whether the value is the output of a quantizer of QONNX or a DequantizeLinear, with constant inputs only.
bool is_quantized_constant(const Value& value);

/// Whether the value is that, or a constant.
inline bool is_weight(const Value& value) { return value.is_constant() || is_quantized_constant(value); }

/// The weight: the contents of its quantizer's first operand. Precondition: is_weight().
std::optional<Tensor> contents_of(const Value& weight);

/// Edits the quantized constant, and each parameter of several elements, whose rank is first raised to that of the
/// constant. nullopt if it cannot.
using ConstantEdit = std::function<std::optional<Tensor>(const Tensor& x, bool is_parameter)>;

/// The weight with edited constants, and a copy of its quantizer over them. axis: the new axis of a DequantizeLinear
/// along an axis. nullptr, with uncommitted edits, if it is not possible.
Value* edited_weight(Value& weight, const ConstantEdit& edit, const std::function<std::int64_t(std::int64_t)>& axis,
                     Rewriter& rewriter);

/// The weight transposed. nullptr if it is not possible.
Value* permuted_constant(Value& weight, std::span<const std::int64_t> order, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail
