#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The features of a head that rotary embedding turns, in pairs: the first `features`, i and i + features / 2, or 2i
/// and 2i + 1 if it is interleaved.
struct RotatedFeatures {
  std::size_t features = 0;
  bool interleaved = false;
  friend bool operator==(const RotatedFeatures&, const RotatedFeatures&) = default;
};

/// The greatest magnitude of each feature of each head of keys or values [batch, heads, steps, size]. Two features that
/// rotary embedding turns have that of the pair, which no later position changes: a slow pair shows a part of its turn
/// on short samples.
class HeadMagnitudes {
 public:
  static constexpr std::string_view kind = "head-magnitudes";

  explicit HeadMagnitudes(RotatedFeatures rotated = {}) : rotated_(rotated) {}

  /// 0 before a value was seen.
  std::size_t heads() const { return size_ == 0 ? 0 : each_.size() / size_; }
  std::size_t size() const { return size_; }
  /// [heads, size].
  const std::vector<float>& each() const { return each_; }

  /// Throws Error if the numbers of heads and features differ from the earlier ones, or rotated features do not fit.
  void add(const Tensor& tensor, const Range& range);
  /// Throws Error if the rotated features differ, too.
  void merge(const HeadMagnitudes& later);
  friend bool operator==(const HeadMagnitudes&, const HeadMagnitudes&) = default;

  void write(detail::StatisticOutput& out) const;
  static HeadMagnitudes read(detail::StatisticInput& in);

 private:
  void expect(std::size_t heads, std::size_t size);

  RotatedFeatures rotated_;
  std::size_t size_ = 0;
  std::vector<float> each_{};
};

}  // namespace graft::inline v1
