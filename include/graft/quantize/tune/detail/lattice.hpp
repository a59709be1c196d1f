#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <graft/quantize/tune/detail/linear_sums.hpp>

namespace graft::inline v1::detail {

/// The integers that weights of one output may have, and their scales: the values of each input.
struct RowGrid {
  Eigen::VectorXd scales, lowest, highest;
  Eigen::Index block = 1;  ///< number of consecutive inputs that share a scale

  /// One scale, and integers in [lowest, highest].
  RowGrid(Eigen::Index inputs, double scale, int min_code, int max_code)
      : scales(Eigen::VectorXd::Constant(inputs, scale)),
        lowest(Eigen::VectorXd::Constant(inputs, min_code)),
        highest(Eigen::VectorXd::Constant(inputs, max_code)),
        block(inputs) {}
};

/// The integers of the weights of one output, their scales, and the bias.
struct RoundedRow {
  Eigen::Matrix<std::int16_t, Eigen::Dynamic, 1> codes{};
  Eigen::VectorXd scales{};  ///< one for each block
  Eigen::Index block = 1;    ///< number of consecutive inputs that share a scale
  double bias = 0;
  double loss = 0;  ///< damped: comparable between scales of one row

  double scale(Eigen::Index input) const { return scales(input / block); }
  Eigen::VectorXd weights() const {
    return Eigen::VectorXd::NullaryExpr(codes.size(), [&](Eigen::Index i) { return scale(i) * codes(i); });
  }
};

/// For share_parts(): rows of as many inputs and blocks. Throws Error if the bytes hold something else.
std::string to_bytes(const std::vector<RoundedRow>& rows);
void from_bytes(const std::string& bytes, std::vector<RoundedRow>& rows);

/// What is wanted of the weights of one output, in the order of a Lattice.
struct RowTarget {
  Eigen::VectorXd best{}, right{};  ///< the best float weights, and the damped quadratic form times them
  double mean = 0;                  ///< of the output, if there is a bias
  double magnitude() const { return best.lpNorm<Eigen::Infinity>(); }
};

/// Rounds the rows of a linear layer to integers, so that its outputs come near to the wanted ones. The squared error
/// is a quadratic form around the best float weights. So rounding is the search of a near point of a lattice: rounding
/// column by column, with the error of each carried over to the next (Babai's nearest plane, which is GPTQ), and then
/// coordinate descent. That moves each integer to its best value while the others stay, until none moves.
class Lattice {
 public:
  /// `damping` times the mean of the diagonal draws to the anchor of a row. The best bias follows from the weights;
  /// without one it is 0.
  Lattice(const LinearSums& sums, double damping, bool has_bias);

  /// anchor: the float weights [K].
  RowTarget target(const OutputSums& y, const Eigen::VectorXd& anchor) const;
  RoundedRow round(const RowTarget& row, RowGrid grid) const;
  /// Also searches the scales: shares of the given ones, and then by least squares. They keep their signs.
  RoundedRow round_and_scale(const RowTarget& row, RowGrid grid) const;

 private:
  /// The values in the order of the columns.
  RowGrid ordered(const RowGrid& grid) const;
  /// Rounds column by column. Returns the loss.
  double nearest_plane(const RowTarget& row, const RowGrid& grid, Eigen::VectorXd& codes) const;
  /// Returns the loss.
  double descend(const RowTarget& row, const RowGrid& grid, Eigen::VectorXd& codes) const;
  /// The scales of least error for these integers, in the order of the columns. Empty if one has another sign.
  Eigen::VectorXd fitted_scales(const RowTarget& row, const RowGrid& grid, const Eigen::VectorXd& codes) const;
  /// The integers in the order of the weights, and the bias.
  RoundedRow finished(const RowTarget& row, const RowGrid& grid, double loss, const Eigen::VectorXd& codes) const;

  std::vector<Eigen::Index> order_;  // of the columns, those of small inputs first; they are rounded from the last on
  Eigen::MatrixXd form_, factor_;    // the damped quadratic form and its Cholesky factor, in that order
  Eigen::VectorXd input_means_;      // 0 without a bias
  double count_, pull_ = 0;          // the number of positions; the force of the anchor
  bool has_bias_;
};

}  // namespace graft::inline v1::detail
