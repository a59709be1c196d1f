#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

/// The set of values of a tensor, for any dtype that holds them: QONNX's and FINN's arbitrary-precision data types.
///
///     FLOAT32  FLOAT16  INT<n>  UINT<n>  BINARY (UINT1)  BIPOLAR {-1, 1}  TERNARY {-1, 0, 1}
///     FIXED<width,integer bits>  SCALEDINT<n> (integers of n bits times a scale)
///     FLOAT<exponent bits,mantissa bits,exponent bias>
///
class DataType {
 public:
  enum class Kind : std::uint8_t {
    float32,
    float16,
    integer,
    unsigned_integer,
    bipolar,
    ternary,
    fixed,
    scaled_integer,
    minifloat,
  };

  /// FLOAT32.
  constexpr DataType() = default;
  static constexpr DataType float32() { return {}; }
  static constexpr DataType float16() { return {Kind::float16, 16}; }
  /// INTn. INTn and UINTn throw Error unless bits is 1 to 4096.
  static DataType integer(int bits);
  /// UINTn; of one bit, BINARY.
  static DataType unsigned_integer(int bits);
  static constexpr DataType binary() { return {Kind::unsigned_integer, 1}; }
  static constexpr DataType bipolar() { return {Kind::bipolar, 1}; }
  static constexpr DataType ternary() { return {Kind::ternary, 2}; }
  static DataType scaled_integer(int bits);
  /// Signed, with bits - integer_bits bits behind the point. Throws Error unless integer_bits < bits, and for an
  /// integer_bits below -4096.
  static DataType fixed(int bits, int integer_bits);
  /// A sign, an exponent and a mantissa, with subnormal numbers and without infinities. The default bias is that of
  /// IEEE 754. Throws Error for an exponent of less than 1 or more than 8 bits, for more than 4096 bits in total, and
  /// for a bias beyond 4096.
  static DataType minifloat(int exponent_bits, int mantissa_bits, std::optional<int> exponent_bias = {});

  /// The type of that name; nullopt if there is none. UINT1 is BINARY.
  static std::optional<DataType> parse(std::string_view name);
  /// The INTn or UINTn with the fewest bits that holds the integers from min to max; unsigned if none is negative.
  /// Throws Error if they are not integers, or min > max.
  static DataType smallest(double min, double max);

  constexpr Kind kind() const { return kind_; }
  constexpr int bits() const { return bits_; }
  /// The bits before the point of FIXED; the exponent bits of FLOAT<>.
  constexpr int integer_bits() const { return part_; }
  constexpr int exponent_bits() const { return part_; }
  constexpr int mantissa_bits() const { return bits_ - 1 - part_; }
  constexpr int exponent_bias() const { return bias_; }

  /// Whether all values are integers.
  constexpr bool is_integer() const {
    return kind_ == Kind::integer || kind_ == Kind::unsigned_integer || kind_ == Kind::bipolar ||
           kind_ == Kind::ternary;
  }
  /// Whether all values are integers times a scale: integers, fixed point, SCALEDINT.
  constexpr bool is_scaled_integer() const {
    return is_integer() || kind_ == Kind::fixed || kind_ == Kind::scaled_integer;
  }
  constexpr bool is_float() const { return !is_scaled_integer(); }
  /// Whether negative values are possible.
  constexpr bool is_signed() const { return kind_ != Kind::unsigned_integer; }

  /// The ends of the range, to the nearest double. Throw Error for SCALEDINT, whose scale is unknown.
  double min() const;
  double max() const;
  /// The number of values, for FLOAT<> of codes; nullopt for FLOAT32 and FLOAT16.
  std::optional<double> value_count() const;
  /// Whether the type has this value. Throws Error for SCALEDINT.
  bool allows(float value) const;

  friend constexpr auto operator<=>(const DataType&, const DataType&) = default;

 private:
  constexpr DataType(Kind kind, int bits, int part = 0, int bias = 0)
      : kind_(kind), bits_(bits), part_(part), bias_(bias) {}

  Kind kind_ = Kind::float32;
  int bits_ = 32, part_ = 0, bias_ = 0;
};

/// The name that parse() reads: "INT4", "FLOAT<5,10,15>".
std::string to_string(const DataType& type);
std::ostream& operator<<(std::ostream& out, const DataType& type);

}  // namespace graft::inline v1::qonnx
