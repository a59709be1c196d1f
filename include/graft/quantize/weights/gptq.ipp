#pragma once
#include <graft/quantize/weights/gptq.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/weights/detail/gptq_factor.hpp>

namespace graft::inline v1 {

GRAFT_INLINE BlockMatrix gptq_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                                     const GramMatrix& inputs, double damping, const ParallelFor* parallel) {
  if (inputs.columns() != columns)
    throw Error("inputs of " + std::to_string(inputs.columns()) + " columns for a weight of " +
                std::to_string(columns));
  form.check();
  const auto factor = detail::gptq_factor(inputs, static_cast<std::size_t>(form.block_size), damping);
  return detail::gptq_blocks(matrix, columns, form, factor, parallel);
}

namespace detail {

/// Rounds some rows of `matrix` into those of `result`.
inline void round_by_gptq(std::span<const float> matrix, const GptqFactor& inputs, Eigen::Index first_row,
                          Eigen::Index rows, BlockMatrix& result) {
  const std::vector<std::size_t>& order = inputs.order;
  const Eigen::MatrixXd& factor = inputs.upper;
  const std::size_t columns = result.columns;
  const auto width = static_cast<Eigen::Index>(columns);
  const auto row_at = [&](Eigen::Index i) { return static_cast<std::size_t>(first_row + i); };
  Eigen::MatrixXd left(rows, width);  // columns to round, in the order of rounding
  for (Eigen::Index j = 0; j < width; ++j)
    for (Eigen::Index i = 0; i < rows; ++i)
      left(i, j) = matrix[row_at(i) * columns + order[static_cast<std::size_t>(j)]];

  std::vector<float> values, importance;
  Eigen::Index first = 0;
  while (first < width) {
    const std::size_t place = order[static_cast<std::size_t>(first)] / result.block_size();
    const auto count = static_cast<Eigen::Index>(
        std::min(result.block_size(), columns - place * result.block_size()));
    values.resize(static_cast<std::size_t>(count));
    importance.resize(values.size());
    for (Eigen::Index k = 0; k < count; ++k) {
      const double pivot = factor(first + k, first + k);
      importance[static_cast<std::size_t>(k)] = static_cast<float>(1 / (pivot * pivot));
    }
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index k = 0; k < count; ++k)
        values[static_cast<std::size_t>(k)] = static_cast<float>(left(i, first + k));
      result.set_qparams(row_at(i), place, searched_block_qparams(values, importance, result.form));
    }
    Eigen::MatrixXd errors(rows, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::Index j = first + k;
      const std::size_t column = order[static_cast<std::size_t>(j)];
      for (Eigen::Index i = 0; i < rows; ++i) {
        const BlockQParams params = result.qparams(row_at(i), place);
        const std::int32_t code = params.code(static_cast<float>(left(i, j)), result.form);
        result.codes[row_at(i) * columns + column] = static_cast<std::uint8_t>(code);
        errors(i, k) = (left(i, j) - params.value(code)) / factor(j, j);
      }
      const Eigen::Index rest = count - k - 1;  // of the block
      left.middleCols(j + 1, rest).noalias() -= errors.col(k) * factor.row(j).segment(j + 1, rest);
    }
    const Eigen::Index beyond = width - first - count;
    left.rightCols(beyond).noalias() -= errors * factor.block(first, first + count, count, beyond);
    first += count;
  }
}

GRAFT_INLINE BlockMatrix gptq_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                                     const GptqFactor& inputs, const ParallelFor* parallel) {
  BlockMatrix result(columns == 0 ? 0 : matrix.size() / columns, columns, form);
  constexpr std::int64_t rows_at_a_time = 64;  // small enough for the caches
  for_each_range(
      parallel, static_cast<std::int64_t>(result.rows), rows_at_a_time,
      [&](std::int64_t first, std::int64_t last) { round_by_gptq(matrix, inputs, first, last - first, result); });
  return result;
}

}  // namespace detail

}  // namespace graft::inline v1
