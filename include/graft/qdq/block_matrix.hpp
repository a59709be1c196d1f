#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/evaluate/parallel.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The form of a matrix in integers: the number of bits, and a scale and zero point for each block of columns in a row.
/// The last block of a row may be shorter. Symmetric: the zero point is the middle, 2^(bits-1).
struct BlockForm {
  int bits = 4;                  ///< 2 to 8
  std::int64_t block_size = 32;  ///< a power of two, 16 to 256
  bool symmetric = false;
  /// Makes scales of symmetric blocks positive, for operators that require this. If the greatest magnitude of a block
  /// is positive, its steps are larger: it gets only the highest code, one step nearer to the middle than code 0.
  bool positive_scales = false;

  /// Throws Error if a member is out of these bounds.
  void check() const;
  std::int32_t highest() const { return (1 << bits) - 1; }
  std::int32_t middle() const { return 1 << (bits - 1); }
};

/// The q-params of a block: x = (code - zero_point) * scale. The scale may be negative.
struct BlockQParams {
  float scale = 1;
  std::int32_t zero_point = 0;

  std::int32_t code(float x, const BlockForm& form) const;
  float value(std::int32_t code) const { return static_cast<float>(code - zero_point) * scale; }
};

/// Q-params that reach every value. An asymmetric block spans its range, widened to contain 0. In a symmetric block,
/// code 0 is the value of the greatest magnitude, with its sign; with positive scales its code is 0 or the highest one,
/// by its sign.
BlockQParams nearest_block_qparams(std::span<const float> values, const BlockForm& form);

/// Searches for q-params with a smaller sum of importance * (x - x')^2: ranges around those of nearest_block_qparams(),
/// each with the best scale for its codes by least squares. importance: one non-negative number for each value; empty:
/// 1 + x^2 / mean(x^2), because equal importance clips the greatest values, which matter most in language models. The
/// result is never worse than nearest_block_qparams().
BlockQParams searched_block_qparams(std::span<const float> values, std::span<const float> importance,
                                    const BlockForm& form);

/// A matrix [rows, columns] in blocks along its rows.
struct BlockMatrix {
  std::size_t rows = 0, columns = 0;
  BlockForm form{};
  std::vector<std::uint8_t> codes{};        ///< [rows, columns]
  std::vector<float> scales{};              ///< [rows, blocks()]
  std::vector<std::uint8_t> zero_points{};  ///< [rows, blocks()]

  BlockMatrix(std::size_t row_count, std::size_t column_count, const BlockForm& block_form);
  std::size_t blocks() const { return (columns + block_size() - 1) / block_size(); }
  std::size_t block_size() const { return static_cast<std::size_t>(form.block_size); }
  BlockQParams qparams(std::size_t row, std::size_t block) const;
  void set_qparams(std::size_t row, std::size_t block, const BlockQParams& params);
  /// The dequantized matrix, [rows, columns].
  std::vector<float> values() const;

  /// Codes as a stream of bits, the lowest first: u8 [rows, blocks, block_size * bits / 8]. Missing columns of the last
  /// block have the code of 0.
  Tensor packed_codes() const;
  /// u8 [rows, ceil(blocks * bits / 8)].
  Tensor packed_zero_points() const;
};

/// Quantizes rows of float32 [rows, columns] by nearest_block_qparams(), or by searched_block_qparams() with an
/// importance for each column. Rows run in parallel. Throws Error if the form is out of bounds.
BlockMatrix nearest_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                           const ParallelFor* parallel = nullptr);
BlockMatrix searched_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                            std::span<const float> importance = {}, const ParallelFor* parallel = nullptr);

}  // namespace graft::inline v1
