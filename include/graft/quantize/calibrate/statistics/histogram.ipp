#pragma once
#include <graft/quantize/calibrate/statistics/histogram.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1 {
namespace detail {

/// The bin of each value: floor(value * per_unit) - first. Values times per_unit fit int32.
struct Binning {
  std::span<const float> values;
  double per_unit;  // a power of two, so that the product is exact
  std::int32_t first;
  std::int32_t* bins;
};

struct BinLoop {
  template <int width>
  [[gnu::always_inline]] static void run(const Binning& work) {
    for (std::size_t i = 0; i < work.values.size(); ++i) {
      const double x = static_cast<double>(work.values[i]) * work.per_unit;
      const auto towards_zero = static_cast<std::int32_t>(x);
      work.bins[i] = towards_zero - static_cast<std::int32_t>(x < towards_zero) - work.first;
    }
  }
};

}  // namespace detail

GRAFT_INLINE std::uint64_t Histogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

GRAFT_INLINE double Histogram::width() const { return std::ldexp(1.0, exponent_); }

GRAFT_INLINE double Histogram::edge(std::size_t bin) const {
  return std::ldexp(static_cast<double>(first_ + static_cast<std::int64_t>(bin)), exponent_);
}

GRAFT_INLINE void Histogram::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  cover(range);
  const double per_unit = std::ldexp(1.0, -exponent_);
  const auto first = static_cast<std::int32_t>(first_);  // its magnitude is at most 2^24, because floats have 24 digits
  // Each addition to a bin waits for the previous one to that bin, and activations have many zeros. So neighbouring
  // values are counted in different arrays.
  constexpr std::size_t block = 512, tables = 4;
  const std::size_t size = counts_.size();
  std::vector<std::uint64_t> apart(static_cast<std::size_t>(tensor.size()) > 8 * size ? (tables - 1) * size : 0);
  std::array<std::uint64_t*, tables> counts{};
  for (std::size_t t = 0; t < tables; ++t)
    counts[t] = apart.empty() || t == 0 ? counts_.data() : apart.data() + (t - 1) * size;
  std::array<std::int32_t, block> bins{};
  for (std::span<const float> rest = tensor.data<float>(); !rest.empty();) {
    const std::span<const float> values = rest.first(std::min(block, rest.size()));
    rest = rest.subspan(values.size());
    standard_kernels::run_simd<detail::BinLoop>(detail::Binning{values, per_unit, first, bins.data()});
    std::size_t i = 0;
    for (; i + tables <= values.size(); i += tables)
      for (std::size_t t = 0; t < tables; ++t) ++counts[t][bins[i + t]];
    for (; i < values.size(); ++i) ++counts_[static_cast<std::size_t>(bins[i])];
  }
  for (std::size_t i = 0; i < apart.size(); ++i) counts_[i % size] += apart[i];
}

GRAFT_INLINE void Histogram::merge(const Histogram& later) {
  if (later.range_.empty()) return;
  cover(later.range_);
  take(later.counts_, later.first_, later.exponent_);
}

GRAFT_INLINE void Histogram::write(detail::StatisticOutput& out) const {
  detail::write_range(out, range_);
  for (const std::uint64_t count : counts_) out.WriteVarint64(count);
}

GRAFT_INLINE Histogram Histogram::read(detail::StatisticInput& in) {
  Histogram result;
  const Range range = detail::read_range(in);
  if (!range.empty()) result.cover(range);
  for (std::uint64_t& count : result.counts_) count = detail::read_count(in);
  return result;
}

GRAFT_INLINE std::int64_t Histogram::place(float value, int exponent) {
  return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(value), -exponent)));
}

GRAFT_INLINE int Histogram::exponent_for(const Range& range) {
  constexpr int finest = std::numeric_limits<float>::min_exponent - std::numeric_limits<float>::digits;
  const float largest = std::max(std::abs(range.min), std::abs(range.max));
  const double span = static_cast<double>(range.max) - static_cast<double>(range.min);
  int exponent = finest;
  if (largest > 0) exponent = std::max(exponent, std::ilogb(largest) + 1 - std::numeric_limits<float>::digits);
  if (span > 0) exponent = std::max(exponent, std::ilogb(span) - std::ilogb(max_bins));
  while (place(range.max, exponent) - place(range.min, exponent) >= max_bins) ++exponent;
  return exponent;
}

GRAFT_INLINE void Histogram::cover(const Range& range) {
  if (range.within(range_)) return;
  range_.merge(range);
  const int exponent = std::exchange(exponent_, exponent_for(range_));
  const std::int64_t first = std::exchange(first_, place(range_.min, exponent_));
  const std::vector<std::uint64_t> counts = std::exchange(
      counts_, std::vector<std::uint64_t>(static_cast<std::size_t>(place(range_.max, exponent_) - first_ + 1)));
  take(counts, first, exponent);
}

GRAFT_INLINE void Histogram::take(std::span<const std::uint64_t> counts, std::int64_t first, int exponent) {
  const int halvings = std::min(exponent_ - exponent, 63);  // by then each is 0 or -1
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t bin = (first + static_cast<std::int64_t>(i)) >> halvings;
    counts_[static_cast<std::size_t>(bin - first_)] += counts[i];
  }
}

}  // namespace graft::inline v1
