#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

struct Tolerance {
  double absolute, relative;
};

/// "[1,0,2]": where element i stands.
inline std::string position(const Dims& dims, std::size_t i) {
  Dims at(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(dims[axis]);
    at[axis] = static_cast<std::int64_t>(i % extent);
    i /= extent;
  }
  return to_string(at);
}

/// How far elements may be apart from those that they are to equal.
class Closeness {
 public:
  Closeness(const Tensor& was, Tolerance tolerance) : tolerance_(tolerance) {
    if (!is_float(was.dtype())) return;
    // What one rounding costs.
    if (was.dtype() == DType::f16) tolerance_.relative = std::max(tolerance_.relative, 0x1p-9);
    if (was.dtype() == DType::bf16) tolerance_.relative = std::max(tolerance_.relative, 0x1p-6);
    for (const double value : was.to<double>())
      if (std::isfinite(value)) largest_ = std::max(largest_, std::abs(value));
  }

  bool close(double was, double got) const {
    if (was == got || (std::isnan(was) && std::isnan(got)) || std::isinf(tolerance_.absolute)) return true;
    const double most = tolerance_.absolute * largest_ + tolerance_.relative * std::abs(was);
    return std::isfinite(was) && std::abs(was - got) <= most;
  }
  // Not every integer of 64 bits is a double.
  template <std::integral T>
  bool close(T was, T got) const {
    const auto apart = [](T more, T less) {
      return static_cast<std::uint64_t>(more) - static_cast<std::uint64_t>(less);
    };
    return was == got || static_cast<double>(was > got ? apart(was, got) : apart(got, was)) <= tolerance_.absolute;
  }

 private:
  Tolerance tolerance_;
  double largest_ = 1;
};

template <Number T>
std::optional<std::string> element_difference(const Tensor& was, const Tensor& got, const Closeness& closeness) {
  const std::vector<T> left = was.to<T>(), right = got.to<T>();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (closeness.close(left[i], right[i])) continue;
    const auto text = [](T value) {
      if constexpr (std::integral<T>) return std::to_string(value);
      else return number(value);
    };
    return "is " + text(right[i]) + " at " + position(was.dims(), i) + ", was " + text(left[i]);
  }
  return std::nullopt;
}

/// How `got` differs from `was`, if by more than the tolerance. Floats may be apart by
/// absolute * max(1, the largest of |was|) + relative * |was|, NaN equals NaN; integers may be apart by `absolute`.
inline std::optional<std::string> tensor_difference(const Tensor& was, const Tensor& got, Tolerance tolerance) {
  if (was.dtype() != got.dtype() || was.dims() != got.dims()) {
    return "is " + to_string(got.dtype(), got.dims()) + ", was " + to_string(was.dtype(), was.dims());
  }
  if (was.same_bytes(got)) return std::nullopt;
  const Closeness closeness(was, tolerance);
  if (is_float(was.dtype())) return element_difference<double>(was, got, closeness);
  if (was.dtype() == DType::u64) return element_difference<std::uint64_t>(was, got, closeness);
  return element_difference<std::int64_t>(was, got, closeness);
}

}  // namespace graft::inline v1::detail
