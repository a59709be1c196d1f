#pragma once
#include <graft/quantize/weights/gptq.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

/// Columns in the order in which they are rounded: block by block.
inline std::vector<std::size_t> rounding_order(const GramMatrix& inputs, std::size_t block_size) {
  const std::size_t columns = inputs.columns(), blocks = (columns + block_size - 1) / block_size;
  std::vector<double> squares(blocks);
  for (std::size_t i = 0; i < columns; ++i) squares[i / block_size] += inputs.sums()[i * columns + i];
  std::vector<std::size_t> by_square(blocks), order;
  std::iota(by_square.begin(), by_square.end(), std::size_t{0});
  std::ranges::stable_sort(by_square, [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });
  for (const std::size_t which : by_square)
    for (std::size_t i = which * block_size; i < std::min(columns, (which + 1) * block_size); ++i) order.push_back(i);
  return order;
}

/// The upper Cholesky factor of the inverse of the damped matrix, its columns in this order.
inline Eigen::MatrixXd inverse_factor(const GramMatrix& inputs, const std::vector<std::size_t>& order, double damping) {
  const auto size = static_cast<Eigen::Index>(order.size());
  Eigen::MatrixXd hessian(size, size);
  const auto at = [&](Eigen::Index i) { return order[static_cast<std::size_t>(i)]; };
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = 0; i < size; ++i) hessian(i, j) = inputs.sums()[at(i) * order.size() + at(j)];
  double mean = hessian.diagonal().mean();
  if (!(mean > 0)) mean = 1;  // inputs of zeros: nothing makes an error
  for (int attempt = 0; attempt < 6; ++attempt, damping *= 10) {
    Eigen::MatrixXd damped = hessian;
    damped.diagonal().array() += damping * mean;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(damped);
    if (cholesky.info() != Eigen::Success) continue;
    const Eigen::LLT<Eigen::MatrixXd> inverse(cholesky.solve(Eigen::MatrixXd::Identity(size, size)));
    if (inverse.info() == Eigen::Success) return inverse.matrixU();
  }
  throw Error("the Gram matrix of the inputs cannot be inverted");
}

}  // namespace detail

GRAFT_INLINE BlockMatrix gptq_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                                     const GramMatrix& inputs, double damping) {
  if (inputs.columns() != columns)
    throw Error("inputs of " + std::to_string(inputs.columns()) + " columns for a weight of " +
                std::to_string(columns));
  form.check();
  BlockMatrix result(columns == 0 ? 0 : matrix.size() / columns, columns, form);
  const std::vector<std::size_t> order = detail::rounding_order(inputs, result.block_size());
  const Eigen::MatrixXd factor = detail::inverse_factor(inputs, order, damping);
  const auto rows = static_cast<Eigen::Index>(result.rows), width = static_cast<Eigen::Index>(columns);
  Eigen::MatrixXd left(rows, width);  // what is yet to be rounded, in the order of rounding
  for (Eigen::Index j = 0; j < width; ++j)
    for (Eigen::Index i = 0; i < rows; ++i)
      left(i, j) = matrix[static_cast<std::size_t>(i) * columns + order[static_cast<std::size_t>(j)]];

  Eigen::Index first = 0;
  while (first < width) {
    const std::size_t block = order[static_cast<std::size_t>(first)] / result.block_size();
    const auto count = static_cast<Eigen::Index>(
        std::min(result.block_size(), columns - block * result.block_size()));
    std::vector<float> values(static_cast<std::size_t>(count)), importance(values.size());
    for (Eigen::Index k = 0; k < count; ++k) {
      const double pivot = factor(first + k, first + k);
      importance[static_cast<std::size_t>(k)] = static_cast<float>(1 / (pivot * pivot));
    }
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index k = 0; k < count; ++k)
        values[static_cast<std::size_t>(k)] = static_cast<float>(left(i, first + k));
      result.set_qparams(static_cast<std::size_t>(i), block, searched_block_qparams(values, importance, form));
    }
    Eigen::MatrixXd errors(rows, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::Index j = first + k;
      const std::size_t column = order[static_cast<std::size_t>(j)];
      for (Eigen::Index i = 0; i < rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        const BlockQParams params = result.qparams(row, block);
        const std::int32_t code = params.code(static_cast<float>(left(i, j)), form);
        result.codes[row * columns + column] = static_cast<std::uint8_t>(code);
        errors(i, k) = (left(i, j) - params.value(code)) / factor(j, j);
      }
      const Eigen::Index rest = count - k - 1;  // of the block
      left.middleCols(j + 1, rest).noalias() -= errors.col(k) * factor.row(j).segment(j + 1, rest);
    }
    const Eigen::Index beyond = width - first - count;
    left.rightCols(beyond).noalias() -= errors * factor.block(first, first + count, count, beyond);
    first += count;
  }
  return result;
}

}  // namespace graft::inline v1
