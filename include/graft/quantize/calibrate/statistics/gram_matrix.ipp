#pragma once
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>

#include <span>
#include <string>

#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

using GramSums = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using GramRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace detail

GRAFT_INLINE std::vector<double> GramMatrix::sums() const {
  std::vector<double> result;
  result.reserve(sums_.size());
  for (std::size_t i = 0; i < columns_; ++i)
    for (std::size_t j = 0; j < columns_; ++j) result.push_back(sum(i, j));
  return result;
}

GRAFT_INLINE std::vector<float> GramMatrix::mean_squares() const {
  std::vector<float> result(columns_);
  for (std::size_t i = 0; i < columns_; ++i)
    result[i] = static_cast<float>(sums_[i * columns_ + i] / static_cast<double>(rows_));
  return result;
}

GRAFT_INLINE void GramMatrix::add(const Tensor& tensor, const Range& range) {
  if (range.empty() || tensor.rank() == 0) return;
  const auto width = static_cast<std::size_t>(tensor.dims().back());
  expect(width);
  const std::span<const float> values = tensor.data<float>();
  const auto columns = static_cast<Eigen::Index>(width), rows = static_cast<Eigen::Index>(values.size() / width);
  Eigen::Map<detail::GramSums> sums(sums_.data(), columns, columns);
  const Eigen::MatrixXd x = Eigen::Map<const detail::GramRows>(values.data(), rows, columns).cast<double>();
  sums.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  rows_ += static_cast<std::uint64_t>(rows);
}

GRAFT_INLINE void GramMatrix::merge(const GramMatrix& later) {
  if (later.columns_ == 0) return;
  expect(later.columns_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += later.sums_[i];
  rows_ += later.rows_;
}

GRAFT_INLINE void GramMatrix::write(detail::StatisticOutput& out) const {
  out.WriteVarint64(columns_);
  out.WriteVarint64(rows_);
  for (std::size_t i = 0; i < columns_; ++i)
    for (std::size_t j = 0; j < columns_; ++j) detail::write_double(out, sum(i, j));
}

GRAFT_INLINE GramMatrix GramMatrix::read(detail::StatisticInput& in) {
  GramMatrix result;
  const std::uint64_t columns = detail::read_count(in);
  result.rows_ = detail::read_count(in);
  for (std::uint64_t i = 0; i < columns; ++i)  // row by row, so that a wrong count does not allocate its square
    for (std::uint64_t j = 0; j < columns; ++j) {
      const double sum = detail::read_double(in);
      result.sums_.push_back(j <= i ? sum : 0);
    }
  result.columns_ = static_cast<std::size_t>(columns);
  return result;
}

GRAFT_INLINE void GramMatrix::expect(std::size_t columns) {
  if (columns_ == 0) {
    columns_ = columns;
    sums_.resize(columns * columns);
  }
  if (columns_ == columns) return;
  throw Error("has " + std::to_string(columns) + " columns, had " + std::to_string(columns_));
}

}  // namespace graft::inline v1
