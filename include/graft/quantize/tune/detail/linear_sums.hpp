#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include <graft/evaluate/parallel.hpp>

namespace graft::inline v1::detail {

/// What the inputs x of a linear layer and the outputs y that it should have say of its squared error: their moments,
/// over positions. For one group of a Conv: [K] inputs, [M] outputs.
struct LinearSums {
  Eigen::MatrixXd inputs;       ///< x x^T, [K, K]
  Eigen::MatrixXd products;     ///< x y^T, [K, M]
  Eigen::VectorXd input_sum;    ///< x
  Eigen::VectorXd output_sum;   ///< y
  Eigen::VectorXd output_squares;
  double count = 0;

  LinearSums() = default;
  LinearSums(Eigen::Index k, Eigen::Index m)
      : inputs(Eigen::MatrixXd::Zero(k, k)),
        products(Eigen::MatrixXd::Zero(k, m)),
        input_sum(Eigen::VectorXd::Zero(k)),
        output_sum(Eigen::VectorXd::Zero(m)),
        output_squares(Eigen::VectorXd::Zero(m)) {}

  /// x: [K, positions], y: [M, positions]. The result does not depend on threads.
  template <class X, class Y>
  void add(const X& x, const Y& y, const ParallelFor* parallel) {
    constexpr Eigen::Index part = 64;
    const Eigen::Index k = inputs.rows();
    for_each_part(parallel, (k + part - 1) / part, [&](std::int64_t i) {
      const Eigen::Index first = i * part, rows = std::min(part, k - first);
      inputs.middleRows(first, rows) += (x.middleRows(first, rows) * x.transpose()).template cast<double>();
      products.middleRows(first, rows) += (x.middleRows(first, rows) * y.transpose()).template cast<double>();
    });
    input_sum += x.template cast<double>().rowwise().sum();
    output_sum += y.template cast<double>().rowwise().sum();
    output_squares += y.template cast<double>().rowwise().squaredNorm();
    count += static_cast<double>(x.cols());
  }

  LinearSums& operator+=(const LinearSums& other) {
    inputs += other.inputs;
    products += other.products;
    input_sum += other.input_sum;
    output_sum += other.output_sum;
    output_squares += other.output_squares;
    count += other.count;
    return *this;
  }

  /// Moves the outputs y towards those of weights [K, M] on the same inputs: y becomes share * y + (1 - share) *
  /// (weights^T x + c). c keeps their mean.
  void move_outputs(const Eigen::MatrixXd& weights, double share) {
    if (count == 0) return;
    const double rest = 1 - share;
    const Eigen::MatrixXd own = inputs * weights;
    const Eigen::VectorXd sums = weights.transpose() * input_sum, offset = (output_sum - sums) / count;
    const Eigen::ArrayXd mixed = (weights.cwiseProduct(products)).colwise().sum().transpose().array() +
                                 offset.array() * output_sum.array();
    const Eigen::ArrayXd squares = (weights.cwiseProduct(own)).colwise().sum().transpose().array() +
                                   offset.array() * (2 * sums.array() + count * offset.array());
    output_squares =
        (share * share * output_squares.array() + 2 * share * rest * mixed + rest * rest * squares).matrix();
    products = share * products + rest * (own + input_sum * offset.transpose());
  }

  /// The sum of the squares of w . x + bias - y, for output m.
  double error(Eigen::Index m, const Eigen::VectorXd& w, double bias) const {
    return w.dot(inputs * w - 2 * products.col(m) + 2 * bias * input_sum) + bias * (bias * count - 2 * output_sum(m)) +
           output_squares(m);
  }
};

}  // namespace graft::inline v1::detail
