#pragma once
#include <cstddef>
#include <span>

#include <graft/evaluate/parallel.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr double gptq_damping = 0.01;

}  // namespace detail

/// Rounds rows of float32 [rows, columns] in blocks, column by column. The error that a rounded column adds to the
/// product with the inputs is subtracted from the columns that are not yet rounded. Blocks are ordered by the mean
/// square of their inputs, the greatest first; the q-params of a block are searched_block_qparams() of its current
/// columns. `damping` times the mean of the diagonal is added to the diagonal of inputs, and ten times more as often as
/// needed. Frantar et al., GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers (2022),
/// algorithm 1. Rows run in parallel. Throws Error if inputs have another number of columns, and for a form that is out
/// of bounds.
BlockMatrix gptq_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                        const GramMatrix& inputs, double damping = detail::gptq_damping,
                        const ParallelFor* parallel = nullptr);

}  // namespace graft::inline v1
