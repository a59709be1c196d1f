#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/detail/visit.hpp>
#include <graft/graph/detail/elements.hpp>
#include <graft/graph/float8.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Converts one number as ONNX Cast-13: integers keep their low bits, floats truncate, bool is "not zero". A float
/// outside the range of an integer, which the standard leaves undefined, saturates.
template <class To, class From>
To cast_number(From value) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    return static_cast<To>(value);
  } else {
    return graft::detail::convert<To>(value);
  }
}

/// Whether C++ has a type for the elements.
constexpr bool is_native(DType dtype) {
  return bits(dtype) >= 8 && !(is_float(dtype) && bits(dtype) == 8) && !is_complex(dtype);
}

using CastLoop = void (*)(const void* from, void* to, std::int64_t count);

template <class From, class To>
void run_cast(const void* from, void* to, std::int64_t count) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (std::int64_t i = 0; i < count; ++i) y[i] = cast_number<To>(x[i]);
}

/// Converts a type of visit_arithmetic() to any, or any other type to its arithmetic type.
inline CastLoop cast_loop(DType from, DType to) {
  if (computed_in(from) != from) {
    return visit_promoted(from, []<class From>() -> CastLoop { return run_cast<From, Promoted<From>>; });
  }
  return visit_arithmetic(from, [to]<class From>() -> CastLoop {
    return visit_native(to, []<class To>() -> CastLoop { return run_cast<From, To>; });
  });
}

/// The attributes of Cast for types of less than 16 bits that C++ does not have.
struct CastChoice {
  bool saturate = true;
  PowerRounding rounding = PowerRounding::up;
};

/// Converts to float8, float4, and integers of less than 8 bits, which keep their low bits.
inline Tensor cast_to_small(const Tensor& x, DType to, const CastChoice& choice) {
  if (is_integer(to)) {
    std::vector<std::int64_t> values = x.to<std::int64_t>();
    const std::int64_t count = std::int64_t{1} << bits(to);
    for (std::int64_t& value : values) {
      value &= count - 1;
      if (value > highest(to)) value -= count;
    }
    return Tensor::of(to, x.dims(), values);
  }
  const std::vector<double> values = x.to<double>();
  if (bits(to) < 8) return Tensor::of(to, x.dims(), values);
  Tensor y(to, x.dims());
  const auto codes = y.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = to == DType::f8e8m0 ? encode_f8e8m0(values[i], choice.rounding, choice.saturate)
                                   : encode_float8(to, values[i], choice.saturate);
  }
  return y;
}

/// The tensor as another numeric type.
inline Tensor cast(Tensor x, DType to, const CastChoice& choice = {}) {
  const DType from = x.dtype();
  if (from == to) return x;
  if (!is_native(from)) {
    return cast(is_float(from) ? Tensor::of(x.dims(), x.to<float>()) : Tensor::of(x.dims(), x.to<std::int32_t>()), to,
                choice);
  }
  if (!is_native(to)) return cast_to_small(x, to, choice);
  // Other types go through their arithmetic type: 74 loops to compile instead of 169.
  const DType wide = computed_in(from);
  if (wide != from && wide != to) return cast(cast(std::move(x), wide), to);

  Tensor y = unfilled(to, x.dims());
  cast_loop(from, to)(x.bytes().data(), y.mutable_bytes().data(), x.size());
  return y;
}

}  // namespace graft::inline v1::standard_kernels::detail
