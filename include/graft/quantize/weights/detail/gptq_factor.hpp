#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <graft/evaluate/parallel.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>

namespace graft::inline v1::detail {

/// The input-dependent data of GPTQ, which products that read the same tensor share.
struct GptqFactor {
  std::vector<std::size_t> order;  ///< of columns: block by block
  Eigen::MatrixXd upper;           ///< the Cholesky factor of the inverse of the damped matrix, in that order
};

/// Blocks are ordered by the mean square of their columns, the greatest first.
inline std::vector<std::size_t> rounding_order(const std::vector<float>& mean_squares, std::size_t block_size) {
  const std::size_t columns = mean_squares.size(), blocks = (columns + block_size - 1) / block_size;
  const auto end_of = [&](std::size_t which) { return std::min(columns, (which + 1) * block_size); };
  std::vector<double> squares(blocks);
  for (std::size_t which = 0; which < blocks; ++which) {
    for (std::size_t i = which * block_size; i < end_of(which); ++i) squares[which] += mean_squares[i];
    squares[which] /= static_cast<double>(end_of(which) - which * block_size);  // the last one may be shorter
  }
  std::vector<std::size_t> by_square(blocks), order;
  std::iota(by_square.begin(), by_square.end(), std::size_t{0});
  std::ranges::stable_sort(by_square, [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });
  for (const std::size_t which : by_square)
    for (std::size_t i = which * block_size; i < end_of(which); ++i) order.push_back(i);
  return order;
}

/// Throws Error if the matrix cannot be inverted with any damping.
inline GptqFactor gptq_factor(const GramMatrix& inputs, std::size_t block_size, double damping) {
  GptqFactor result{rounding_order(inputs.mean_squares(), block_size), {}};
  const auto size = static_cast<Eigen::Index>(inputs.columns());
  Eigen::MatrixXd hessian(size, size);
  const auto at = [&](Eigen::Index i) { return result.order[static_cast<std::size_t>(i)]; };
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = 0; i < size; ++i) hessian(i, j) = inputs.sum(at(i), at(j));
  double mean = hessian.diagonal().mean();
  if (!(mean > 0)) mean = 1;  // inputs of zeros cause no error
  for (int attempt = 0; attempt < 6; ++attempt, damping *= 10) {
    // Where the matrix with its order reversed is L L^T, its inverse is U^T U with U the inverse of L, reversed.
    Eigen::MatrixXd damped = hessian.reverse();
    damped.diagonal().array() += damping * mean;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(std::move(damped));
    if (cholesky.info() != Eigen::Success) continue;
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(size, size);
    cholesky.matrixL().solveInPlace(inverse);
    result.upper = inverse.reverse();
    return result;
  }
  throw Error("the Gram matrix of the inputs cannot be inverted");
}

/// As the public function, with the data of the inputs.
BlockMatrix gptq_blocks(std::span<const float> matrix, std::size_t columns, const BlockForm& form,
                        const GptqFactor& inputs, const ParallelFor* parallel);

}  // namespace graft::inline v1::detail
