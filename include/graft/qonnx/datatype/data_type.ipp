#pragma once
#include <graft/qonnx/datatype/data_type.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

inline constexpr int widest_type = 4096;  // above this, double has no exponents

inline int checked_bits(int bits) {
  if (bits < 1 || bits > widest_type) throw Error("a data type must have 1 to 4096 bits, not " + std::to_string(bits));
  return bits;
}

/// Checks the position of a point or an exponent's bias.
inline int checked_place(int place) {
  if (place < -widest_type || place > widest_type)
    throw Error("a point or bias is no more than 4096 places away, not " + std::to_string(place));
  return place;
}

/// Parses a text as a number; ignores blanks around it.
inline std::optional<int> number_in(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parses the numbers in "PREFIX<1,2,3>".
struct Parameters {
  std::array<int, 3> numbers{};
  std::size_t count = 0;
};

/// nullopt for other names.
inline std::optional<Parameters> parameters_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() < prefix.size() + 2) return std::nullopt;
  std::string_view inside = name.substr(prefix.size());
  if (inside.front() != '<' || inside.back() != '>') return std::nullopt;
  inside = inside.substr(1, inside.size() - 2);
  Parameters parameters;
  while (true) {
    const std::size_t comma = inside.find(',');
    const std::optional<int> number = number_in(inside.substr(0, comma));
    if (!number || parameters.count == parameters.numbers.size()) return std::nullopt;
    parameters.numbers[parameters.count++] = *number;
    if (comma == std::string_view::npos) return parameters;
    inside.remove_prefix(comma + 1);
  }
}

inline bool is_integral(double value) { return std::nearbyint(value) == value; }

/// The largest number of a sign, an exponent and a mantissa if no code is reserved for infinity.
inline double largest(int exponent_bits, int mantissa_bits, int bias) {
  return (2 - std::ldexp(1.0, -mantissa_bits)) * std::ldexp(1.0, (1 << exponent_bits) - 1 - bias);
}

/// Whether a number has at most this many bits after its leading one, or above 2^lowest_exponent.
inline bool fits_mantissa(double value, int mantissa_bits, int lowest_exponent) {
  if (value == 0) return true;
  const int exponent = std::max(std::ilogb(value), lowest_exponent);
  return is_integral(std::ldexp(value, mantissa_bits - exponent));
}

}  // namespace detail

GRAFT_INLINE DataType DataType::integer(int bits) { return {Kind::integer, detail::checked_bits(bits)}; }

GRAFT_INLINE DataType DataType::unsigned_integer(int bits) {
  return {Kind::unsigned_integer, detail::checked_bits(bits)};
}

GRAFT_INLINE DataType DataType::scaled_integer(int bits) {
  return {Kind::scaled_integer, detail::checked_bits(bits)};
}

GRAFT_INLINE DataType DataType::fixed(int bits, int integer_bits) {
  if (integer_bits >= bits) throw Error("a fixed-point type has fewer bits before the point than in all");
  return {Kind::fixed, detail::checked_bits(bits), detail::checked_place(integer_bits)};
}

GRAFT_INLINE DataType DataType::minifloat(int exponent_bits, int mantissa_bits, std::optional<int> exponent_bias) {
  if (exponent_bits < 1 || exponent_bits > 8 || mantissa_bits < 0)
    throw Error("a float has 1 to 8 exponent bits and at least 0 mantissa bits");
  const int ieee = (1 << (exponent_bits - 1)) - 1;
  const int bits = 1 + exponent_bits + std::min(mantissa_bits, detail::widest_type);
  return {Kind::minifloat, detail::checked_bits(bits), exponent_bits,
          detail::checked_place(exponent_bias.value_or(ieee))};
}

GRAFT_INLINE std::optional<DataType> DataType::parse(std::string_view name) {
  if (name == "FLOAT32") return float32();
  if (name == "FLOAT16") return float16();
  if (name == "BINARY") return binary();
  if (name == "BIPOLAR") return bipolar();
  if (name == "TERNARY") return ternary();
  try {
    if (const auto p = detail::parameters_of(name, "FIXED"); p && p->count == 2)
      return fixed(p->numbers[0], p->numbers[1]);
    if (const auto p = detail::parameters_of(name, "SCALEDINT"); p && p->count == 1)
      return scaled_integer(p->numbers[0]);
    if (const auto p = detail::parameters_of(name, "FLOAT"); p && p->count == 2)
      return minifloat(p->numbers[0], p->numbers[1]);
    if (const auto p = detail::parameters_of(name, "FLOAT"); p && p->count == 3)
      return minifloat(p->numbers[0], p->numbers[1], p->numbers[2]);
    if (name.starts_with("UINT"))
      if (const auto bits = detail::number_in(name.substr(4))) return unsigned_integer(*bits);
    if (name.starts_with("INT"))
      if (const auto bits = detail::number_in(name.substr(3))) return integer(*bits);
  } catch (const Error&) {
    // Numbers that do not form a type.
  }
  return std::nullopt;
}

GRAFT_INLINE DataType DataType::smallest(double min, double max) {
  if (!std::isfinite(min) || !std::isfinite(max) || !detail::is_integral(min) || !detail::is_integral(max))
    throw Error("only a range of integers has a smallest type");
  if (min > max) throw Error("its min is above its max");
  int bits = 1;
  if (min >= 0) {
    while (max > std::ldexp(1.0, bits) - 1) ++bits;
    return unsigned_integer(bits);
  }
  while (min < -std::ldexp(1.0, bits - 1) || max > std::ldexp(1.0, bits - 1) - 1) ++bits;
  return integer(bits);
}

GRAFT_INLINE double DataType::min() const {
  switch (kind_) {
    case Kind::unsigned_integer: return 0;
    case Kind::integer: return -std::ldexp(1.0, bits_ - 1);
    case Kind::fixed: return -std::ldexp(1.0, part_ - 1);
    default: return -max();
  }
}

GRAFT_INLINE double DataType::max() const {
  switch (kind_) {
    case Kind::float32: return std::numeric_limits<float>::max();
    case Kind::float16: return 65504;
    case Kind::integer: return std::ldexp(1.0, bits_ - 1) - 1;
    case Kind::unsigned_integer: return std::ldexp(1.0, bits_) - 1;
    case Kind::bipolar:
    case Kind::ternary: return 1;
    case Kind::fixed: return std::ldexp(1.0, part_ - 1) - std::ldexp(1.0, part_ - bits_);
    case Kind::minifloat: return detail::largest(part_, mantissa_bits(), bias_);
    case Kind::scaled_integer: break;
  }
  throw Error(to_string(*this) + " does not say its scale, and has no range");
}

GRAFT_INLINE std::optional<double> DataType::value_count() const {
  switch (kind_) {
    case Kind::float32:
    case Kind::float16: return std::nullopt;
    case Kind::ternary: return 3;
    default: return std::ldexp(1.0, bits_);
  }
}

GRAFT_INLINE bool DataType::allows(float value) const {
  if (kind_ == Kind::float32 || (kind_ == Kind::float16 && !std::isfinite(value))) return true;
  if (!(min() <= value && value <= max())) return false;
  switch (kind_) {
    case Kind::float16: return detail::fits_mantissa(value, 10, -14);
    case Kind::minifloat: return detail::fits_mantissa(value, mantissa_bits(), 1 - bias_);
    case Kind::fixed: return detail::is_integral(std::ldexp(double{value}, bits_ - part_));
    case Kind::bipolar: return value != 0 && detail::is_integral(value);
    default: return detail::is_integral(value);
  }
}

GRAFT_INLINE std::string to_string(const DataType& type) {
  const std::string bits = std::to_string(type.bits());
  switch (type.kind()) {
    case DataType::Kind::float32: return "FLOAT32";
    case DataType::Kind::float16: return "FLOAT16";
    case DataType::Kind::integer: return "INT" + bits;
    case DataType::Kind::unsigned_integer: return type.bits() == 1 ? "BINARY" : "UINT" + bits;
    case DataType::Kind::bipolar: return "BIPOLAR";
    case DataType::Kind::ternary: return "TERNARY";
    case DataType::Kind::fixed: return "FIXED<" + bits + "," + std::to_string(type.integer_bits()) + ">";
    case DataType::Kind::scaled_integer: return "SCALEDINT<" + bits + ">";
    case DataType::Kind::minifloat:
      return "FLOAT<" + std::to_string(type.exponent_bits()) + "," + std::to_string(type.mantissa_bits()) + "," +
             std::to_string(type.exponent_bias()) + ">";
  }
  return "";
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, const DataType& type) { return out << to_string(type); }

}  // namespace graft::inline v1::qonnx
