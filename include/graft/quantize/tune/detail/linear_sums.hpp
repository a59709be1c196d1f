#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include <graft/evaluate/parallel.hpp>

namespace graft::inline v1::detail {

/// The moments of one output y of a linear layer with its inputs x, over positions.
struct OutputSums {
  Eigen::VectorXd products;  ///< x y, [K]
  double sum = 0, squares = 0;
};

/// What the inputs x of a linear layer and the outputs y that it should have say of its squared error: their moments,
/// over positions. For one group of a Conv: [K] inputs, [M] outputs. The outputs may be some of the layer's.
struct LinearSums {
  Eigen::MatrixXd inputs;       ///< x x^T, [K, K]
  Eigen::MatrixXd products;     ///< x y^T, [K, M]
  Eigen::VectorXd input_sum;    ///< x
  Eigen::VectorXd output_sum;   ///< y
  Eigen::VectorXd output_squares;
  double count = 0;

  LinearSums() = default;
  LinearSums(Eigen::Index k, Eigen::Index m)
      : inputs(Eigen::MatrixXd::Zero(k, k)), input_sum(Eigen::VectorXd::Zero(k)) {
    start_outputs(m);
  }

  /// Forgets the outputs. add_outputs() adds others, for the same inputs.
  void start_outputs(Eigen::Index m) {
    products.setZero(inputs.rows(), m);
    output_sum.setZero(m);
    output_squares.setZero(m);
  }

  /// x: [K, positions], y: [M, positions]. The result does not depend on threads.
  template <class X, class Y>
  void add(const X& x, const Y& y, const ParallelFor* parallel) {
    for_rows(parallel, [&](Eigen::Index first, Eigen::Index rows) {
      inputs.middleRows(first, rows) += (x.middleRows(first, rows) * x.transpose()).template cast<double>();
    });
    input_sum += x.template cast<double>().rowwise().sum();
    count += static_cast<double>(x.cols());
    add_outputs(x, y, parallel);
  }
  template <class X, class Y>
  void add_outputs(const X& x, const Y& y, const ParallelFor* parallel) {
    for_rows(parallel, [&](Eigen::Index first, Eigen::Index rows) {
      products.middleRows(first, rows) += (x.middleRows(first, rows) * y.transpose()).template cast<double>();
    });
    output_sum += y.template cast<double>().rowwise().sum();
    output_squares += y.template cast<double>().rowwise().squaredNorm();
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

  OutputSums output(Eigen::Index m) const { return {products.col(m), output_sum(m), output_squares(m)}; }

  /// Those of output m, moved towards the output of weights [K] on the same inputs: y becomes share * y + (1 - share) *
  /// (weights . x + c). c keeps its mean.
  OutputSums moved(Eigen::Index m, const Eigen::VectorXd& weights, double share) const {
    OutputSums y = output(m);
    if (count == 0) return y;
    const double rest = 1 - share;
    const Eigen::VectorXd own = inputs * weights;
    const double sum = weights.dot(input_sum), offset = (y.sum - sum) / count;
    const double mixed = weights.dot(y.products) + offset * y.sum;
    const double squares = weights.dot(own) + offset * (2 * sum + count * offset);
    y.squares = share * share * y.squares + 2 * share * rest * mixed + rest * rest * squares;
    y.products = share * y.products + rest * (own + offset * input_sum);
    return y;
  }

  /// The sum of the squares of w . x + bias - y.
  double error(const OutputSums& y, const Eigen::VectorXd& w, double bias) const {
    return w.dot(inputs * w - 2 * y.products + 2 * bias * input_sum) + bias * (bias * count - 2 * y.sum) + y.squares;
  }

 private:
  /// f(first, rows) for blocks of the K rows.
  template <class F>
  void for_rows(const ParallelFor* parallel, const F& f) const {
    constexpr std::int64_t block = 64;
    for_each_range(parallel, inputs.rows(), block,
                   [&](std::int64_t first, std::int64_t last) { f(first, last - first); });
  }
};

}  // namespace graft::inline v1::detail
