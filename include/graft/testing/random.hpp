#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// Random numbers that are the same for every compiler and library (SplitMix64, Steele, Lea, Flood 2014).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  /// Uses the text as a seed (FNV-1a).
  explicit constexpr Random(std::string_view text) : state_(0xcbf29ce484222325u) {
    for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }

  constexpr std::uint64_t operator()() {
    std::uint64_t word = state_ += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }
  /// In [0, 1), a multiple of 2^-24: exact in f32.
  constexpr double unit() { return static_cast<double>((*this)() >> 40) * 0x1p-24; }
  /// In [low, high].
  constexpr std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t word = (*this)();
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (count == 0 ? word : word % count));
  }

 private:
  std::uint64_t state_;
};

/// The bounds of random contents.
struct Interval {
  double low, high;
};

/// [-1, 1) for floats, the whole range for integers of up to 8 bits, -100 to 100 for wider ones.
constexpr Interval usual_interval(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  if (!is_integer(dtype)) return {is_signed(dtype) ? -1.0 : 0.0, 1};
  if (bits(dtype) > 8) return {is_signed(dtype) ? -100.0 : 0.0, 100};
  return {static_cast<double>(lowest(dtype)), static_cast<double>(highest(dtype))};
}

/// Uniform contents: floats in [low, high), integers and bool in [low, high]. Throws Error for dtypes that are not
/// numeric, and if the elements as doubles do not fit in memory.
Tensor random_tensor(DType dtype, Dims dims, Random& random, Interval range);
inline Tensor random_tensor(DType dtype, Dims dims, Random& random) {
  return random_tensor(dtype, std::move(dims), random, usual_interval(dtype));
}

}  // namespace graft::inline v1
