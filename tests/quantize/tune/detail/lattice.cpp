#include <graft/quantize/tune/detail/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <onnx/onnx_pb.h>

using namespace graft;
using detail::Lattice;
using detail::LinearSums;
using detail::OutputSums;
using detail::RoundedRow;
using detail::RowGrid;
using detail::RowTarget;

namespace {

/// Sums of inputs with a common part and a mean, and of outputs of these weights.
LinearSums sums_of(const Eigen::MatrixXd& weights, double bias, std::mt19937& random) {
  std::normal_distribution<float> normal;
  const Eigen::Index k = weights.rows(), count = 200;
  Eigen::MatrixXf x(k, count);
  for (Eigen::Index n = 0; n < count; ++n) {
    const float common = normal(random);
    for (Eigen::Index i = 0; i < k; ++i) x(i, n) = 0.5F + common + 0.3F * normal(random);
  }
  LinearSums sums(k, weights.cols());
  const Eigen::MatrixXf y =
      ((weights.transpose() * x.cast<double>()).array() + bias).matrix().cast<float>();
  sums.add(x, y, nullptr);
  return sums;
}

/// What is wanted of output m, beside its float weights.
RowTarget target(const Lattice& lattice, const LinearSums& sums, const Eigen::MatrixXd& weights, Eigen::Index m = 0) {
  return lattice.target(sums.output(m), weights.col(m));
}

RoundedRow rounded(const LinearSums& sums, const Eigen::MatrixXd& weights, double damping, const RowGrid& grid) {
  const Lattice lattice(sums, damping, false);
  return lattice.round(target(lattice, sums, weights), grid);
}

/// The least error of all integers in [-highest, highest].
double least_error(const LinearSums& sums, double scale, int highest) {
  const Eigen::Index k = sums.inputs.rows();
  Eigen::VectorXd codes = Eigen::VectorXd::Constant(k, -highest);
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    least = std::min(least, sums.error(sums.output(0), scale * codes, 0));
    Eigen::Index i = 0;
    while (i < k && codes(i) == highest) codes(i++) = -highest;
    if (i == k) return least;
    ++codes(i);
  }
}

}  // namespace

TEST_CASE("the error of a layer is that of its outputs", "[quantize]") {
  LinearSums sums(2, 1);
  const Eigen::MatrixXf x = (Eigen::MatrixXf(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  const Eigen::MatrixXf y = (Eigen::MatrixXf(1, 3) << 7, 8, 9).finished();
  sums.add(x, y, nullptr);
  const Eigen::VectorXd w = (Eigen::VectorXd(2) << 0.5, -1).finished();
  // 0.5 - 4 + 2 - 7, 1 - 5 + 2 - 8, 1.5 - 6 + 2 - 9
  CHECK(sums.error(sums.output(0), w, 2) == Approx(8.5 * 8.5 + 10 * 10 + 11.5 * 11.5));
  LinearSums twice = sums;
  twice += sums;
  CHECK(twice.error(twice.output(0), w, 2) == Approx(2 * sums.error(sums.output(0), w, 2)));
}

TEST_CASE("outputs move towards those of weights, and keep their mean", "[quantize]") {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  constexpr Eigen::Index k = 5, m = 3, count = 40;
  const Eigen::MatrixXf x = Eigen::MatrixXf::NullaryExpr(k, count, [&] { return 0.5F + normal(random); });
  const Eigen::MatrixXf y = Eigen::MatrixXf::NullaryExpr(m, count, [&] { return 2 + normal(random); });
  const Eigen::MatrixXf weights = Eigen::MatrixXf::NullaryExpr(k, m, [&] { return normal(random); });
  Eigen::MatrixXf own = weights.transpose() * x;
  own.colwise() += Eigen::VectorXf(y.rowwise().mean() - own.rowwise().mean());
  for (const float share : {0.0F, 0.25F, 1.0F}) {
    LinearSums sums(k, m), expected(k, m);
    sums.add(x, y, nullptr);
    expected.add(x, Eigen::MatrixXf(share * y + (1 - share) * own), nullptr);
    for (Eigen::Index i = 0; i < m; ++i) {
      const OutputSums moved = sums.moved(i, weights.col(i).cast<double>(), double{share});
      CHECK(moved.products.isApprox(expected.products.col(i), 1e-5));
      CHECK(moved.sum == Approx(expected.output_sum(i)));
      CHECK(moved.squares == Approx(expected.output_squares(i)).epsilon(1e-5));
    }
  }
}

TEST_CASE("outputs are added in parts to the sums of their inputs", "[quantize]") {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  const Eigen::MatrixXf x = Eigen::MatrixXf::NullaryExpr(70, 30, [&] { return normal(random); });
  const Eigen::MatrixXf y = Eigen::MatrixXf::NullaryExpr(5, 30, [&] { return normal(random); });
  LinearSums all(70, 5), parts(70, 2);
  all.add(x, y, nullptr);
  parts.add(x, y.topRows(2), nullptr);
  CHECK(parts.products.isApprox(all.products.leftCols(2), 1e-5));
  parts.start_outputs(3);
  parts.add_outputs(x, y.bottomRows(3), nullptr);
  CHECK(parts.products.isApprox(all.products.rightCols(3), 1e-5));
  CHECK(parts.output_sum.isApprox(all.output_sum.tail(3), 1e-5));
  CHECK(parts.output_squares.isApprox(all.output_squares.tail(3), 1e-5));
  CHECK(parts.inputs == all.inputs);
  CHECK(parts.input_sum == all.input_sum);
  CHECK(parts.count == 30);
}

TEST_CASE("of two equal inputs one is rounded up", "[quantize]") {
  LinearSums sums(2, 1);
  const Eigen::MatrixXf x = (Eigen::MatrixXf(2, 4) << 1, -1, 2, -2, 1, -1, 2, -2).finished();
  const Eigen::MatrixXd weights = Eigen::MatrixXd::Constant(2, 1, 0.4);
  sums.add(x, (0.4F * x.colwise().sum()).eval(), nullptr);
  const RoundedRow row = rounded(sums, weights, 0.001, {2, 1, -7, 7});
  CHECK(row.codes.sum() == 1);  // nearest: 0
  CHECK(row.bias == 0);
}

TEST_CASE("rounding comes near to the best of all integers", "[quantize]") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  double found = 0, least = 0, nearest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Eigen::MatrixXd weights(5, 1);
    for (Eigen::Index i = 0; i < 5; ++i) weights(i, 0) = normal(random);
    const LinearSums sums = sums_of(weights, 0, random);
    const double scale = weights.cwiseAbs().maxCoeff() / 3;
    const RoundedRow row = rounded(sums, weights, 0, {5, scale, -3, 3});
    const double error = sums.error(sums.output(0), row.weights(), 0), best = least_error(sums, scale, 3);
    CHECK(error >= best * (1 - 1e-9));
    found += error;
    least += best;
    const Eigen::VectorXd codes = (weights.col(0) / scale).array().round().max(-3).min(3);
    nearest += sums.error(sums.output(0), scale * codes, 0);
  }
  CHECK(found < 1.2 * least);
  CHECK(nearest > 2.5 * least);
}

TEST_CASE("a searched scale does not lose, and the bias is the best", "[quantize]") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::MatrixXd weights(12, 2);
    for (Eigen::Index i = 0; i < 12; ++i)
      for (Eigen::Index m = 0; m < 2; ++m) weights(i, m) = normal(random);
    const LinearSums sums = sums_of(weights, 0.7, random);
    const Lattice lattice(sums, 0, true);
    for (Eigen::Index m = 0; m < 2; ++m) {
      const RowTarget row = target(lattice, sums, weights, m);
      const OutputSums y = sums.output(m);
      CHECK(row.best.isApprox(lattice.target(sums.moved(m, weights.col(m), 0.5), weights.col(m)).best, 1e-3));
      const RowGrid grid(12, row.magnitude() / 7, -7, 7);
      const RoundedRow searched = lattice.round_and_scale(row, grid), usual = lattice.round(row, grid);
      CHECK(searched.codes.cwiseAbs().maxCoeff() <= 7);
      const double error = sums.error(y, searched.weights(), searched.bias);
      CHECK(error <= sums.error(y, usual.weights(), usual.bias) * (1 + 1e-9));
      CHECK(searched.loss * sums.count == Approx(error).margin(0.02));
      CHECK(error <= sums.error(y, searched.weights(), searched.bias + 0.01));
      CHECK(error <= sums.error(y, searched.weights(), searched.bias - 0.01));
    }
  }
}

TEST_CASE("each block has a scale and a range, and finds better ones", "[quantize]") {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  double found = 0, given = 0;
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::MatrixXd weights(11, 1);  // the last block is shorter
    for (Eigen::Index i = 0; i < 11; ++i) weights(i, 0) = normal(random) * (i < 4 ? 8 : 1);
    const LinearSums sums = sums_of(weights, 0, random);
    RowGrid grid(11, 1, -7, 7);
    grid.block = 4;
    for (Eigen::Index i = 0; i < 11; ++i) {
      grid.scales(i) = i < 4 ? 3 : i < 8 ? 0.4 : -0.4;
      grid.lowest(i) = i < 4 ? -5 : -8;
      grid.highest(i) = i < 4 ? 10 : 7;
    }
    const Lattice lattice(sums, 0.001, false);
    const RowTarget wanted = target(lattice, sums, weights);
    const RoundedRow row = lattice.round_and_scale(wanted, grid), usual = lattice.round(wanted, grid);
    for (Eigen::Index i = 0; i < 11; ++i) {
      CHECK(row.codes(i) >= grid.lowest(i));
      CHECK(row.codes(i) <= grid.highest(i));
      CHECK(row.scale(i) * grid.scales(i) > 0);
    }
    CHECK(row.scales.size() == 3);
    CHECK(usual.scales == Eigen::Vector3d(3, 0.4, -0.4));
    CHECK(row.loss <= usual.loss);
    found += sums.error(sums.output(0), row.weights(), 0);
    given += sums.error(sums.output(0), usual.weights(), 0);
    std::vector<RoundedRow> rows;
    from_bytes(to_bytes(std::vector<RoundedRow>{row, usual}), rows);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].weights() == row.weights());
    CHECK(rows[0].loss == row.loss);
    CHECK(rows[1].codes == usual.codes);
    CHECK(rows[1].bias == usual.bias);
  }
  CHECK(found < 0.8 * given);
}

TEST_CASE("rows take two bytes a weight, and others than rows are refused", "[quantize]") {
  RoundedRow row{.block = 500};
  row.codes = decltype(row.codes)::Constant(1000, -255);
  row.scales = Eigen::Vector2d(0.5, -0.25);
  const std::string bytes = to_bytes(std::vector<RoundedRow>(3, row));
  CHECK(bytes.size() < 3 * 2 * 1000 + 150);
  std::vector<RoundedRow> rows;
  from_bytes(bytes, rows);
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].weights() == row.weights());
  from_bytes(to_bytes(std::vector<RoundedRow>()), rows);
  CHECK(rows.empty());
  onnx::TensorProto message;
  REQUIRE(message.ParseFromString(bytes));
  for (int at = 0; at < 4; ++at)
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{4}, std::int64_t{1} << 62}) {
      INFO(at << " " << wrong);
      onnx::TensorProto other = message;
      other.set_dims(at, wrong);
      CHECK_THROWS_WITH(from_bytes(other.SerializeAsString(), rows), "the message of another rank cannot be read");
    }
  message.mutable_raw_data()->pop_back();
  CHECK_THROWS_WITH(from_bytes(message.SerializeAsString(), rows), "the message of another rank cannot be read");
}

TEST_CASE("damping draws to the float weights where inputs are few", "[quantize]") {
  std::mt19937 random(7);
  Eigen::MatrixXd weights = Eigen::MatrixXd::Constant(6, 1, 0.5);
  LinearSums sums(6, 1);
  Eigen::MatrixXf x = Eigen::MatrixXf::Zero(6, 1);
  x(0, 0) = 1;
  sums.add(x, Eigen::MatrixXf::Constant(1, 1, 3), nullptr);  // one sample of other weights
  CHECK(rounded(sums, weights, 1000, {6, 0.5, -7, 7}).weights() == Eigen::VectorXd::Constant(6, 0.5));
  CHECK(rounded(sums, weights, 1e-6, {6, 0.5, -7, 7}).codes(0) == 6);
}
