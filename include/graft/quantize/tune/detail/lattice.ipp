#pragma once
#include <graft/quantize/tune/detail/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <onnx/onnx_pb.h>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string to_bytes(const std::vector<RoundedRow>& rows) {
  onnx::TensorProto message;
  const RoundedRow first = rows.empty() ? RoundedRow() : rows.front();
  for (const Eigen::Index number :
       {static_cast<Eigen::Index>(rows.size()), first.codes.size(), first.scales.size(), first.block})
    message.add_dims(number);
  std::string& bytes = *message.mutable_raw_data();
  const auto append = [&](const auto* numbers, Eigen::Index count) {
    bytes.append(reinterpret_cast<const char*>(numbers), static_cast<std::size_t>(count) * sizeof(*numbers));
  };
  for (const RoundedRow& row : rows) {
    append(&row.bias, 1);
    append(&row.loss, 1);
    append(row.scales.data(), row.scales.size());
    append(row.codes.data(), row.codes.size());
  }
  return message.SerializeAsString();
}

GRAFT_INLINE void from_bytes(const std::string& bytes, std::vector<RoundedRow>& rows) {
  onnx::TensorProto message;
  const auto check = [](bool holds) {
    if (!holds) throw Error("the message of another rank cannot be read");
  };
  check(message.ParseFromString(bytes) && message.dims_size() == 4);
  const std::string& numbers = message.raw_data();
  const auto size = static_cast<std::int64_t>(numbers.size());
  const std::int64_t count = message.dims(0), columns = message.dims(1), blocks = message.dims(2);
  for (const std::int64_t dim : {count, columns, blocks}) check(dim >= 0 && dim <= size);  // none overflows below
  rows.assign(static_cast<std::size_t>(count), {});
  if (count == 0) return check(size == 0);
  const std::int64_t block = message.dims(3);
  check(block > 0 && blocks == columns / block + (columns % block != 0 ? 1 : 0));
  check(size % count == 0 && size / count == (2 + blocks) * std::int64_t{sizeof(double)} + columns * 2);
  const char* from = numbers.data();
  const auto take = [&](auto* to, std::int64_t of) {
    const std::size_t length = static_cast<std::size_t>(of) * sizeof(*to);
    std::copy_n(from, length, reinterpret_cast<char*>(to));
    from += length;
  };
  for (RoundedRow& row : rows) {
    row.block = block;
    row.scales.resize(blocks);
    row.codes.resize(columns);
    take(&row.bias, 1);
    take(&row.loss, 1);
    take(row.scales.data(), blocks);
    take(row.codes.data(), columns);
  }
}

GRAFT_INLINE Lattice::Lattice(const LinearSums& sums, double damping, bool has_bias)
    : order_(static_cast<std::size_t>(sums.inputs.rows())), count_(std::max(sums.count, 1.0)), has_bias_(has_bias) {
  const Eigen::Index k = sums.inputs.rows();
  input_means_ = has_bias ? Eigen::VectorXd(sums.input_sum / count_) : Eigen::VectorXd::Zero(k);
  const Eigen::MatrixXd moments = sums.inputs / count_ - input_means_ * input_means_.transpose();
  double mean = moments.diagonal().mean();
  if (!(mean > 0)) mean = 1;  // inputs that do not vary cause no error
  std::iota(order_.begin(), order_.end(), Eigen::Index{0});
  std::ranges::stable_sort(order_, [&](Eigen::Index a, Eigen::Index b) { return moments(a, a) < moments(b, b); });
  const auto at = [&](Eigen::Index i) { return order_[static_cast<std::size_t>(i)]; };
  for (int attempt = 0; attempt < 6; ++attempt, damping = std::max(10 * damping, 1e-6)) {
    pull_ = damping * mean;
    form_.resize(k, k);
    for (Eigen::Index j = 0; j < k; ++j)
      for (Eigen::Index i = 0; i < k; ++i) form_(i, j) = moments(at(i), at(j));
    form_.diagonal().array() += pull_;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(form_);
    if (cholesky.info() != Eigen::Success) continue;
    factor_ = cholesky.matrixL();
    return;
  }
  throw Error("the moments of the inputs cannot be inverted");
}

GRAFT_INLINE RowTarget Lattice::target(const OutputSums& y, const Eigen::VectorXd& anchor) const {
  RowTarget row{.mean = has_bias_ ? y.sum / count_ : 0};
  row.right.resize(form_.rows());
  for (Eigen::Index i = 0; i < form_.rows(); ++i) {
    const Eigen::Index input = order_[static_cast<std::size_t>(i)];
    row.right(i) = y.products(input) / count_ - input_means_(input) * row.mean + pull_ * anchor(input);
  }
  row.best = row.right;
  factor_.triangularView<Eigen::Lower>().solveInPlace(row.best);
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(row.best);
  return row;
}

GRAFT_INLINE RowGrid Lattice::ordered(const RowGrid& grid) const {
  RowGrid result = grid;
  for (Eigen::Index i = 0; i < grid.scales.size(); ++i) {
    const Eigen::Index from = order_[static_cast<std::size_t>(i)];
    result.scales(i) = grid.scales(from);
    result.lowest(i) = grid.lowest(from);
    result.highest(i) = grid.highest(from);
  }
  return result;
}

GRAFT_INLINE double Lattice::nearest_plane(const RowTarget& row, const RowGrid& grid, Eigen::VectorXd& codes) const {
  const Eigen::Index k = form_.rows();
  codes.resize(k);
  Eigen::VectorXd error(k);
  double loss = 0;
  for (Eigen::Index i = k - 1; i >= 0; --i) {
    const Eigen::Index behind = k - 1 - i;
    const double pivot = factor_(i, i), scale = grid.scales(i);
    const double centre = row.best(i) - factor_.col(i).tail(behind).dot(error.tail(behind)) / pivot;
    codes(i) = std::clamp(std::nearbyint(centre / scale), grid.lowest(i), grid.highest(i));
    error(i) = scale * codes(i) - row.best(i);
    const double part = pivot * (scale * codes(i) - centre);
    loss += part * part;
  }
  return loss;
}

GRAFT_INLINE double Lattice::descend(const RowTarget& row, const RowGrid& grid, Eigen::VectorXd& codes) const {
  constexpr int max_sweeps = 30;
  const Eigen::Index k = form_.rows();
  const Eigen::VectorXd error = grid.scales.cwiseProduct(codes) - row.best;
  Eigen::VectorXd slope = form_ * error;
  double loss = error.dot(slope);
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool has_changed = false;
    for (Eigen::Index i = 0; i < k; ++i) {
      const double scale = grid.scales(i), curve = scale * form_(i, i);
      const double to = std::clamp(std::nearbyint(codes(i) - slope(i) / curve), grid.lowest(i), grid.highest(i));
      const double step = scale * (to - codes(i));
      const double gain = -step * (2 * slope(i) + step * form_(i, i));
      if (step == 0 || !(gain > 1e-12 * loss)) continue;
      codes(i) = to;
      slope += step * form_.col(i);
      loss -= gain;
      has_changed = true;
    }
    if (!has_changed) break;
  }
  return loss;
}

GRAFT_INLINE Eigen::VectorXd Lattice::fitted_scales(const RowTarget& row, const RowGrid& grid,
                                                    const Eigen::VectorXd& codes) const {
  const Eigen::Index k = codes.size(), blocks = (k + grid.block - 1) / grid.block;
  const auto block_of = [&](Eigen::Index i) { return order_[static_cast<std::size_t>(i)] / grid.block; };
  Eigen::MatrixXd images = Eigen::MatrixXd::Zero(k, blocks), form = Eigen::MatrixXd::Zero(blocks, blocks);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(blocks), old = right;
  for (Eigen::Index i = 0; i < k; ++i) images.col(block_of(i)) += codes(i) * form_.col(i);
  for (Eigen::Index i = 0; i < k; ++i) {
    form.row(block_of(i)) += codes(i) * images.row(i);
    right(block_of(i)) += codes(i) * row.right(i);
    old(block_of(i)) = grid.scales(i);
  }
  for (Eigen::Index b = 0; b < blocks; ++b) {
    if (form(b, b) > 0) continue;  // zeros keep their scale
    form(b, b) = 1;
    right(b) = old(b);
  }
  const Eigen::VectorXd fitted = form.ldlt().solve(right);
  if (!(fitted.cwiseProduct(old).minCoeff() > 0)) return {};
  return Eigen::VectorXd::NullaryExpr(k, [&](Eigen::Index i) { return fitted(block_of(i)); });
}

GRAFT_INLINE RoundedRow Lattice::finished(const RowTarget& row, const RowGrid& grid, double loss,
                                          const Eigen::VectorXd& codes) const {
  RoundedRow result{.block = grid.block, .loss = loss};
  result.codes.resize(codes.size());
  result.scales.resize((codes.size() + grid.block - 1) / grid.block);
  for (Eigen::Index i = 0; i < codes.size(); ++i) {
    const Eigen::Index input = order_[static_cast<std::size_t>(i)];
    result.codes(input) = static_cast<std::int16_t>(codes(i));
    result.scales(input / grid.block) = grid.scales(i);
  }
  result.bias = row.mean - result.weights().dot(input_means_);
  return result;
}

GRAFT_INLINE RoundedRow Lattice::round(const RowTarget& row, RowGrid grid) const {
  grid = ordered(grid);
  Eigen::VectorXd codes;
  nearest_plane(row, grid, codes);
  const double loss = descend(row, grid, codes);
  return finished(row, grid, loss, codes);
}

GRAFT_INLINE RoundedRow Lattice::round_and_scale(const RowTarget& row, RowGrid grid) const {
  grid = ordered(grid);
  RowGrid changed = grid;
  Eigen::VectorXd codes, trial;
  double loss = nearest_plane(row, grid, codes);
  for (const Eigen::VectorXd given = grid.scales; const double share : {1.05, 0.92, 0.84, 0.76, 0.68, 0.6, 0.52}) {
    changed.scales = share * given;
    const double found = nearest_plane(row, changed, trial);
    if (found >= loss) continue;
    loss = found;
    grid.scales = changed.scales;
    codes.swap(trial);
  }
  loss = descend(row, grid, codes);
  for (int i = 0; i < 3; ++i) {
    changed.scales = fitted_scales(row, grid, codes);
    if (changed.scales.size() == 0) break;
    trial = codes;
    const double found = descend(row, changed, trial);
    if (!(found < loss * (1 - 1e-6))) break;
    loss = found;
    grid.scales = changed.scales;
    codes.swap(trial);
  }
  return finished(row, grid, loss, codes);
}

}  // namespace graft::inline v1::detail
