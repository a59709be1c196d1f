#pragma once
#include <cstddef>

#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// The bias of a Conv, [M], as an operand of a sum: [1, M, 1, ...], of that rank. A constant is reshaped here, a
/// quantizer of constants is built again over reshaped ones, anything else is reshaped by a Reshape.
Value& bias_operand(Value& bias, std::size_t rank, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/bias_operand.ipp>
#endif
