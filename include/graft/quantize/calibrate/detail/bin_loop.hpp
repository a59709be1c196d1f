#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace graft::inline v1::detail {

/// The bin of each value, floor(value * per_unit) - first. Values times per_unit fit int32.
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

}  // namespace graft::inline v1::detail
