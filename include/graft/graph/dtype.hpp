#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include <graft/graph/error.hpp>

namespace Eigen {
struct half;  // defined in <Eigen/Core>, for code that reads or writes such elements
struct bfloat16;
}  // namespace Eigen

namespace graft::inline v1 {

/// Element types, with the numbers of ONNX's TensorProto.DataType. graft has its own list because distributions ship
/// older ONNX headers, which lack the newest types.
enum class DType : std::int32_t {
  undefined = 0,
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  string = 8,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  c64 = 14,
  c128 = 15,
  bf16 = 16,
  f8e4m3fn = 17,
  f8e4m3fnuz = 18,
  f8e5m2 = 19,
  f8e5m2fnuz = 20,
  u4 = 21,
  i4 = 22,
  f4e2m1 = 23,
  f8e8m0 = 24,
  u2 = 25,
  i2 = 26,
};

/// Width of an element in bits; 0 for undefined, string and unknown dtypes.
constexpr std::size_t bits(DType dtype) {
  switch (dtype) {
    case DType::u2:
    case DType::i2: return 2;
    case DType::u4:
    case DType::i4:
    case DType::f4e2m1: return 4;
    case DType::u8:
    case DType::i8:
    case DType::boolean:
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0: return 8;
    case DType::u16:
    case DType::i16:
    case DType::f16:
    case DType::bf16: return 16;
    case DType::f32:
    case DType::i32:
    case DType::u32: return 32;
    case DType::f64:
    case DType::i64:
    case DType::u64:
    case DType::c64: return 64;
    case DType::c128: return 128;
    case DType::undefined:
    case DType::string: return 0;
  }
  return 0;
}

/// The short name: "f32", "u8", "f8e4m3fn"; "unknown" for other numbers.
constexpr std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::undefined: return "undefined";
    case DType::f32: return "f32";
    case DType::u8: return "u8";
    case DType::i8: return "i8";
    case DType::u16: return "u16";
    case DType::i16: return "i16";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::string: return "string";
    case DType::boolean: return "bool";
    case DType::f16: return "f16";
    case DType::f64: return "f64";
    case DType::u32: return "u32";
    case DType::u64: return "u64";
    case DType::c64: return "c64";
    case DType::c128: return "c128";
    case DType::bf16: return "bf16";
    case DType::f8e4m3fn: return "f8e4m3fn";
    case DType::f8e4m3fnuz: return "f8e4m3fnuz";
    case DType::f8e5m2: return "f8e5m2";
    case DType::f8e5m2fnuz: return "f8e5m2fnuz";
    case DType::u4: return "u4";
    case DType::i4: return "i4";
    case DType::f4e2m1: return "f4e2m1";
    case DType::f8e8m0: return "f8e8m0";
    case DType::u2: return "u2";
    case DType::i2: return "i2";
  }
  return "unknown";
}

inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << to_string(dtype); }

constexpr bool is_known(DType dtype) { return to_string(dtype) != "unknown"; }

/// The dtype of a short name; undefined if there is none.
constexpr DType dtype_named(std::string_view name) {
  for (std::int32_t i = 1; is_known(DType{i}); ++i) {
    if (to_string(DType{i}) == name) return DType{i};
  }
  return DType::undefined;
}

constexpr bool is_float(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::f32:
    case DType::f64:
    case DType::bf16:
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1: return true;
    default: return false;
  }
}

constexpr bool is_complex(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }

constexpr bool is_signed_integer(DType dtype) {
  switch (dtype) {
    case DType::i2:
    case DType::i4:
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64: return true;
    default: return false;
  }
}

constexpr bool is_unsigned_integer(DType dtype) {
  switch (dtype) {
    case DType::u2:
    case DType::u4:
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64: return true;
    default: return false;
  }
}

/// Whether the dtype is an integer. bool is not, as in ONNX's type constraints.
constexpr bool is_integer(DType dtype) { return is_signed_integer(dtype) || is_unsigned_integer(dtype); }

/// Whether the dtype has negative numbers. f8e8m0 has powers of two only.
constexpr bool is_signed(DType dtype) {
  return is_signed_integer(dtype) || is_complex(dtype) || (is_float(dtype) && dtype != DType::f8e8m0);
}

/// The smallest value of an integer dtype. Throws Error for other dtypes.
constexpr std::int64_t lowest(DType dtype) {
  if (is_unsigned_integer(dtype)) return 0;
  if (!is_signed_integer(dtype)) detail::raise(Error(std::string(to_string(dtype)) + " is not an integer dtype"));
  return std::numeric_limits<std::int64_t>::min() >> (64 - bits(dtype));
}

/// The largest value of an integer dtype. Throws Error for other dtypes, and for u64, because int64 cannot hold it.
constexpr std::int64_t highest(DType dtype) {
  if (!is_integer(dtype) || dtype == DType::u64) {
    detail::raise(Error(std::string(to_string(dtype)) + " is not an integer dtype within the range of i64"));
  }
  return std::numeric_limits<std::int64_t>::max() >> (64 - bits(dtype) - (is_unsigned_integer(dtype) ? 1 : 0));
}

/// The dtype whose elements are stored as T; undefined if there is none.
template <class T>
inline constexpr DType dtype_of = DType::undefined;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<Eigen::half> = DType::f16;
template <>
inline constexpr DType dtype_of<Eigen::bfloat16> = DType::bf16;
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::u16;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::i16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::u32;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::u64;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::c64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::c128;

/// A C++ type that a tensor can store.
template <class T>
concept Element = dtype_of<T> != DType::undefined;

/// A C++ type that any numeric dtype converts to and from.
template <class T>
concept Number = Element<T> && !is_complex(dtype_of<T>);

/// Whether elements of this dtype are stored as T: the C++ type of the dtype, or bytes if it has none. float8 takes one
/// byte for each element; 2 and 4 bit elements are packed, the first in the lowest bits.
template <Element T>
constexpr bool stores(DType dtype) {
  if (dtype == dtype_of<T>) return true;
  const bool has_no_type = (is_float(dtype) && bits(dtype) <= 8) || (is_integer(dtype) && bits(dtype) < 8);
  return has_no_type && dtype_of<T> == DType::u8;
}

/// The alignment of elements in memory, in bytes.
constexpr std::size_t alignment(DType dtype) {
  const std::size_t number = is_complex(dtype) ? bits(dtype) / 2 : bits(dtype);
  return number < 8 ? 1 : number / 8;
}

inline bool is_aligned(DType dtype, const void* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes) % alignment(dtype) == 0;
}

}  // namespace graft::inline v1
