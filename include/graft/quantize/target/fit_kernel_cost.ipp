#pragma once
#include <graft/quantize/target/fit_kernel_cost.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/QR>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE KernelCost fit_kernel_cost(std::span<const KernelTime> times) {
  const bool has_weights = std::any_of(times.begin(), times.end(), [](const KernelTime& time) {
    return time.weights != 0;
  });
  const std::size_t fewest = has_weights ? 4 : 3;
  if (times.size() < fewest)
    throw Error((has_weights ? "expected at least 4 times for a cost of weights, found "
                             : "expected at least 3 times for a cost, found ") + std::to_string(times.size()));
  constexpr double least = 500;
  const auto rows = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixX4d terms(rows, 4);
  Eigen::VectorXd took(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const KernelTime& time = times[static_cast<std::size_t>(i)];
    if (!(time.nanoseconds >= 0) || !std::isfinite(time.nanoseconds)) throw Error("a time is negative or not finite");
    terms.row(i) << 1, time.elements, time.products, time.weights;
    terms.row(i) /= time.nanoseconds + least;
    took(i) = time.nanoseconds / (time.nanoseconds + least);
  }
  // Columns are scaled, so that small numbers of products are not taken for rank. Of four terms that must not be
  // negative the best is among the best of each set of terms.
  Eigen::Vector4d best = Eigen::Vector4d::Zero();
  double error = took.squaredNorm();
  for (unsigned chosen = 1; chosen < 16; ++chosen) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index k = 0; k < 4; ++k)
      if ((chosen >> k & 1u) != 0 && terms.col(k).norm() > 0) columns.push_back(k);
    if (columns.empty()) continue;
    Eigen::MatrixXd part(rows, static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k)
      part.col(static_cast<Eigen::Index>(k)) = terms.col(columns[k]).normalized();
    const Eigen::VectorXd found = part.colPivHouseholderQr().solve(took);
    if (found.minCoeff() < 0 || (part * found - took).squaredNorm() >= error) continue;
    error = (part * found - took).squaredNorm();
    best.setZero();
    for (std::size_t k = 0; k < columns.size(); ++k)
      best(columns[k]) = found(static_cast<Eigen::Index>(k)) / terms.col(columns[k]).norm();
  }
  return {static_cast<float>(best(0)), static_cast<float>(best(1)), static_cast<float>(best(2)),
          static_cast<float>(best(3))};
}

}  // namespace graft::inline v1
