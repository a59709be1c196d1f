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

/// Whether a quantizer of QONNX or a DequantizeLinear makes the value of constants alone.
bool is_quantized_constant(const Value& value);

/// Whether that, or a constant.
inline bool is_weight(const Value& value) { return value.is_constant() || is_quantized_constant(value); }

/// The weight, its contents as they come out of its quantizer's first operand. Precondition: is_weight().
std::optional<Tensor> contents_of(const Value& weight);

/// What becomes of the constant that is quantized, and of a parameter of more than one element, whose rank is made
/// that of the constant. nullopt: it cannot be done.
using ConstantEdit = std::function<std::optional<Tensor>(const Tensor& x, bool is_parameter)>;

/// The weight with its constants edited, its quantizer built anew over them. axis: of a DequantizeLinear along an axis,
/// where that axis is afterwards. nullptr, uncommitted edits left, if it cannot be done.
Value* edited_weight(Value& weight, const ConstantEdit& edit, const std::function<std::int64_t(std::int64_t)>& axis,
                     Rewriter& rewriter);

/// The weight transposed. nullptr if it cannot be done.
Value* permuted_constant(Value& weight, std::span<const std::int64_t> order, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/quantized_constant.ipp>
#endif
