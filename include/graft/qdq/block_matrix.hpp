#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// How the rows of a matrix are stored in integers: so many bits, a scale and a zero point for each block of so many
/// columns, the last of which may be shorter. Symmetric: the zero point is the middle, 2^(bits-1).
struct BlockForm {
  int bits = 4;                  ///< 2 to 8
  std::int64_t block_size = 32;  ///< a power of two, 16 to 256
  bool symmetric = false;
  /// Of symmetric blocks, for operators that take no other scales. A block whose greatest magnitude is positive has
  /// larger steps then: it reaches only the highest code, one step nearer to the middle than code 0.
  bool positive_scales = false;

  /// Throws Error if it is out of these bounds.
  void check() const;
  std::int32_t highest() const { return (1 << bits) - 1; }
  std::int32_t middle() const { return 1 << (bits - 1); }
};

/// What the codes of a block stand for: x = (code - zero_point) * scale. The scale may be negative.
struct BlockQParams {
  float scale = 1;
  std::int32_t zero_point = 0;

  std::int32_t code(float x, const BlockForm& form) const;
  float value(std::int32_t code) const { return static_cast<float>(code - zero_point) * scale; }
};

/// Q-params that reach every value: an asymmetric block spans its range, widened to contain 0; in a symmetric one the
/// value of the greatest magnitude, with its sign, is code 0. With positive scales it is code 0 or the highest one, by
/// its sign.
BlockQParams nearest_block_qparams(std::span<const float> values, const BlockForm& form);

/// Q-params with a smaller sum of importance * (x - x')^2, found by search: ranges around those of
/// nearest_block_qparams(), each with the scale that is best for its codes in the sense of least squares. importance:
/// one for each value, not negative; all alike if there is none. Never worse than nearest_block_qparams().
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
  /// What the codes stand for, [rows, columns].
  std::vector<float> values() const;

  /// Codes as a stream of bits, the lowest first: u8 [rows, blocks, block_size * bits / 8]. Columns that the last block
  /// lacks have the code of 0.
  Tensor packed_codes() const;
  /// u8 [rows, ceil(blocks * bits / 8)].
  Tensor packed_zero_points() const;
};

/// Rows of float32 [rows, columns] by nearest_block_qparams(), or by searched_block_qparams() with an importance for
/// each column. Throws Error for a form that is out of bounds.
BlockMatrix nearest_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form);
BlockMatrix searched_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                            std::span<const float> importance = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/block_matrix.ipp>
#endif
