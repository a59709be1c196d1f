#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/float8.hpp>

namespace graft::inline v1::detail {

template <class T>
inline constexpr bool is_16_bit_float = std::same_as<T, Eigen::half> || std::same_as<T, Eigen::bfloat16>;

/// Rounds to a float that rounds to 16 bits exactly as value itself does: the last bit of an inexact result is odd.
/// Source: S. Boldo, G. Melquiond: Emulation of FMA and correctly rounded sums, 2008.
float round_to_odd(double value);

/// A float that rounds to 16 bits exactly as the number does.
template <class From>
float to_float_for_16_bits(From number) {
  if constexpr (std::same_as<From, float> || is_16_bit_float<From>) return static_cast<float>(number);
  else return round_to_odd(static_cast<double>(number));
}

/// Converts a number. Floats become the nearest float, half to even. Floats become integers by rounding towards zero,
/// saturating (NaN: 0). bool is true unless the number is 0.
template <Number To, class From>
To convert(From from) {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (is_16_bit_float<From>) {
    return convert<To>(static_cast<float>(from));
  } else if constexpr (std::same_as<To, bool>) {
    return from != From{0};
  } else if constexpr (is_16_bit_float<To>) {
    return static_cast<To>(to_float_for_16_bits(from));
  } else if constexpr (std::floating_point<To>) {
    return static_cast<To>(from);
  } else if constexpr (std::floating_point<From>) {
    // One above the largest value is a power of two, and so exact in every float type.
    const From above = From{2} * static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1));
    if (!(from == from)) return 0;
    if (from >= above) return std::numeric_limits<To>::max();
    if (from <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(from);
  } else if constexpr (std::same_as<From, bool>) {
    return static_cast<To>(from);
  } else {
    if (std::cmp_less(from, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(from, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(from);
  }
}

/// Elements of a dtype with a C++ type.
template <class T>
struct NativeElements {
  std::byte* bytes;
  T read(std::size_t i) const { return reinterpret_cast<const T*>(bytes)[i]; }
  template <class From>
  void write(std::size_t i, From value) const {
    reinterpret_cast<T*>(bytes)[i] = convert<T>(value);
  }
};

/// The nearest f16, half to even. Numbers of 65520 and more become infinity.
constexpr std::uint16_t to_f16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000u, magnitude = bits ^ sign;
  std::uint32_t result;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u;  // NaN
  } else if (magnitude >= 0x47800000u) {
    result = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // subnormal: the addition of 0.5 shifts and rounds the mantissa
    result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000u;
  } else {  // rounding may carry into the exponent, up to infinity
    const std::uint32_t odd = magnitude >> 13 & 1u;
    result = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  }
  return static_cast<std::uint16_t>(sign >> 16 | result);
}

constexpr float from_f16_bits(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude < 0x400u) {  // zero or subnormal, of units of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign == 0 ? value : -value;
  }
  // The exponents of infinity and NaN are the greatest of their type.
  const std::uint32_t bias = magnitude < 0x7c00u ? 0x38000000u : 0x70000000u;
  return std::bit_cast<float>(sign | ((magnitude << 13) + bias));
}

/// The nearest bf16, half to even.
constexpr std::uint16_t to_bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7fc0u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

constexpr float from_bf16_bits(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Float elements of two bytes, without the types of Eigen: <Eigen/Core> takes a second to compile.
template <DType dtype>
struct Float16Elements {
  std::byte* bytes;
  float read(std::size_t i) const {
    const std::uint16_t code = reinterpret_cast<const std::uint16_t*>(bytes)[i];
    return dtype == DType::f16 ? from_f16_bits(code) : from_bf16_bits(code);
  }
  template <class From>
  void write(std::size_t i, From value) const {
    const float number = to_float_for_16_bits(value);
    reinterpret_cast<std::uint16_t*>(bytes)[i] = dtype == DType::f16 ? to_f16_bits(number) : to_bf16_bits(number);
  }
};

/// Float elements of one byte.
struct Float8Elements {
  std::byte* bytes;
  DType dtype;
  float read(std::size_t i) const;
  template <class From>
  void write(std::size_t i, From value) const {
    const auto number = convert<double>(value);
    bytes[i] = std::byte{dtype == DType::f8e8m0 ? encode_f8e8m0(number) : encode_float8(dtype, number)};
  }
};

/// Elements of 2 or 4 bits; the first one is in the lowest bits of the byte.
template <class Value>
struct PackedElements {
  std::byte* bytes;
  DType dtype;
  std::size_t width;

  Value read(std::size_t i) const {
    const auto code = static_cast<std::uint8_t>((std::to_integer<unsigned>(bytes[byte(i)]) >> shift(i)) & mask());
    if constexpr (std::same_as<Value, float>) {
      return decode_float8(dtype, code);
    } else {
      const int wrap = is_signed(dtype) && (code >> (width - 1)) != 0 ? 1 << width : 0;
      return static_cast<Value>(code - wrap);
    }
  }
  template <class From>
  void write(std::size_t i, From value) const {
    unsigned code = 0;
    if constexpr (std::same_as<Value, float>) {
      code = encode_float8(dtype, convert<double>(value));
    } else {
      code = static_cast<unsigned>(std::clamp(convert<std::int64_t>(value), lowest(dtype), highest(dtype))) & mask();
    }
    const unsigned others = std::to_integer<unsigned>(bytes[byte(i)]) & ~(mask() << shift(i));
    bytes[byte(i)] = static_cast<std::byte>(others | (code << shift(i)));
  }

 private:
  std::size_t byte(std::size_t i) const { return i * width / 8; }
  std::size_t shift(std::size_t i) const { return i * width % 8; }
  unsigned mask() const { return (1u << width) - 1; }
};

/// Calls visit with an accessor of a numeric dtype's elements, which has read(i) and write(i, number). Only write()
/// touches the bytes. Throws Error for complex numbers and for dtypes that are not dense.
template <class Visit>
decltype(auto) with_elements(DType dtype, std::byte* bytes, Visit&& visit) {
  switch (dtype) {
    case DType::f32: return visit(NativeElements<float>{bytes});
    case DType::f64: return visit(NativeElements<double>{bytes});
    case DType::f16: return visit(Float16Elements<DType::f16>{bytes});
    case DType::bf16: return visit(Float16Elements<DType::bf16>{bytes});
    case DType::boolean: return visit(NativeElements<bool>{bytes});
    case DType::u8: return visit(NativeElements<std::uint8_t>{bytes});
    case DType::i8: return visit(NativeElements<std::int8_t>{bytes});
    case DType::u16: return visit(NativeElements<std::uint16_t>{bytes});
    case DType::i16: return visit(NativeElements<std::int16_t>{bytes});
    case DType::u32: return visit(NativeElements<std::uint32_t>{bytes});
    case DType::i32: return visit(NativeElements<std::int32_t>{bytes});
    case DType::u64: return visit(NativeElements<std::uint64_t>{bytes});
    case DType::i64: return visit(NativeElements<std::int64_t>{bytes});
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0: return visit(Float8Elements{bytes, dtype});
    case DType::f4e2m1: return visit(PackedElements<float>{bytes, dtype, bits(dtype)});
    case DType::u2:
    case DType::i2:
    case DType::u4:
    case DType::i4: return visit(PackedElements<std::int8_t>{bytes, dtype, bits(dtype)});
    case DType::undefined:
    case DType::string:
    case DType::c64:
    case DType::c128: break;
  }
  throw Error(std::string(to_string(dtype)) + " elements are not real numbers");
}

}  // namespace graft::inline v1::detail
