#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The order of floats as that of integers: with the sign bit turned, and all others too below zero. Both zeros are
/// equal, NaN is above all.
inline std::uint64_t sort_key(double x) {
  if (std::isnan(x)) return std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto code = std::bit_cast<std::uint64_t>(x + 0.0);
  return (code & sign) != 0 ? ~code : code | sign;
}

/// Integers in the order of the elements, so that whoever sorts is compiled once for all types.
inline std::vector<std::uint64_t> sort_keys(const Tensor& x) {
  if (!is_float(x.dtype()) && !is_signed(x.dtype())) return x.to<std::uint64_t>();
  std::vector<std::uint64_t> keys;
  if (is_float(x.dtype())) {
    for (const double value : x.to<double>()) keys.push_back(sort_key(value));
  } else {
    for (const std::int64_t value : x.to<std::int64_t>())
      keys.push_back(static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63));
  }
  return keys;
}

}  // namespace graft::inline v1::standard_kernels::detail
