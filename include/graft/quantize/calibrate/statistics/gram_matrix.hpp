#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// X^T X of a tensor [..., K], read as a matrix X with K columns, which a product multiplies by its weight. [K, K] in
/// float64.
class GramMatrix {
 public:
  static constexpr std::string_view kind = "gram-matrix";
  static constexpr std::string_view fact_maker = "observe_gram_matrices";

  /// 0 before a value was seen.
  std::size_t columns() const { return columns_; }
  std::uint64_t rows() const { return rows_; }
  /// The sum of the products of two columns.
  double sum(std::size_t i, std::size_t j) const { return sums_[std::max(i, j) * columns_ + std::min(i, j)]; }
  /// All of these sums, row-major.
  std::vector<double> sums() const;
  /// The mean square of each column.
  std::vector<float> mean_squares() const;

  /// Throws Error if the number of columns differs from the earlier one.
  void add(const Tensor& tensor, const Range& range);
  void merge(const GramMatrix& later);
  friend bool operator==(const GramMatrix&, const GramMatrix&) = default;

  void write(detail::StatisticOutput& out) const;
  static GramMatrix read(detail::StatisticInput& in);

 private:
  void expect(std::size_t columns);

  std::size_t columns_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<double> sums_{};  // row-major; 0 above the diagonal, because the matrix is symmetric
};

}  // namespace graft::inline v1
