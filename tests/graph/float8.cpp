#include <graft/graph/float8.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

using graft::decode_f8e8m0;
using graft::decode_float8;
using graft::DType;
using graft::encode_f8e8m0;
using graft::encode_float8;
using graft::PowerRounding;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What the OCP 8-bit floating point specification and ONNX's page on float 8 say of a format.
struct Format {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  double max;
  bool has_infinity;
  bool nan_is_negative_zero;
};

const Format formats[] = {
    {DType::f8e4m3fn, 4, 3, 7, 448, false, false},    {DType::f8e4m3fnuz, 4, 3, 8, 240, false, true},
    {DType::f8e5m2, 5, 2, 15, 57344, true, false},    {DType::f8e5m2fnuz, 5, 2, 16, 57344, false, true},
    {DType::f4e2m1, 2, 1, 1, 6, false, false},
};

/// The value of a code by the definition of its format; NaN for those above max.
double defined(const Format& format, int code) {
  const int width = 1 + format.exponent_bits + format.mantissa_bits;
  const int sign = code >> (width - 1);
  const int exponent = (code >> format.mantissa_bits) % (1 << format.exponent_bits);
  const int mantissa = code % (1 << format.mantissa_bits);
  if (format.nan_is_negative_zero && sign == 1 && exponent == 0 && mantissa == 0) return not_a_number;
  const bool top = exponent == (1 << format.exponent_bits) - 1;
  if (format.has_infinity && top) return mantissa != 0 ? not_a_number : sign == 1 ? -infinity : infinity;
  const double fraction = mantissa / std::pow(2.0, format.mantissa_bits);
  const double magnitude = exponent == 0 ? fraction * std::pow(2.0, 1 - format.bias)
                                         : (1 + fraction) * std::pow(2.0, exponent - format.bias);
  if (magnitude > format.max) return not_a_number;
  return sign == 1 ? -magnitude : magnitude;
}

int code_count(const Format& format) { return 2 << (format.exponent_bits + format.mantissa_bits); }

bool same(double a, double b) { return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b)); }

}  // namespace

TEST_CASE("every code of the small floats has the value that its format defines") {
  for (const Format& format : formats) {
    for (int code = 0; code < code_count(format); ++code) {
      const double value = decode_float8(format.dtype, static_cast<std::uint8_t>(code));
      INFO(to_string(format.dtype) << " " << code);
      CHECK(same(value, defined(format, code)));
    }
  }
}

TEST_CASE("encoding what was decoded gives the code back") {
  for (const Format& format : formats) {
    for (int code = 0; code < code_count(format); ++code) {
      const double value = defined(format, code);
      if (value != value) continue;
      INFO(to_string(format.dtype) << " " << code);
      CHECK(encode_float8(format.dtype, value, false) == code);
    }
  }
}

TEST_CASE("between two codes the nearer one is taken, half way the even one") {
  for (const Format& format : formats) {
    for (int code = 0; defined(format, code) < format.max; ++code) {
      const double below = defined(format, code), above = defined(format, code + 1), middle = (below + above) / 2;
      INFO(to_string(format.dtype) << " " << middle);
      CHECK(encode_float8(format.dtype, middle) == code + code % 2);
      CHECK(encode_float8(format.dtype, std::nextafter(middle, 0.0)) == code);
      CHECK(encode_float8(format.dtype, std::nextafter(middle, infinity)) == code + 1);
      if (code == 0 && format.nan_is_negative_zero) continue;
      CHECK(encode_float8(format.dtype, -middle) == (code + code % 2) + code_count(format) / 2);
    }
  }
}

TEST_CASE("small floats agree with another implementation") {
  // Codes of these numbers by ml_dtypes 0.6, the numbers clamped to the range first.
  constexpr std::array<float, 19> numbers{0.0009765625f, 0.0019f, 0.0029296875f, 0.017578125f, 0.3f,   -0.7f,   1.0625f,
                                          1.1875f,       3.1415927f, -17.0f,     19.0f,        100.3f, 232.0f,  -239.9f,
                                          244.0f,        449.0f,  -460.0f,       53248.0f,     61439.0f};
  struct Expected {
    DType dtype;
    std::array<std::uint8_t, 19> codes;
  };
  constexpr Expected expected[] = {
      {DType::f8e4m3fn, {0x00, 0x01, 0x02, 0x09, 0x2A, 0xB3, 0x38, 0x3A, 0x45, 0xD8, 0x5A, 0x6D, 0x76, 0xF7, 0x77, 0x7E,
                         0xFE, 0x7E, 0x7E}},
      {DType::f8e4m3fnuz, {0x01, 0x02, 0x03, 0x11, 0x32, 0xBB, 0x40, 0x42, 0x4D, 0xE0, 0x62, 0x75, 0x7E, 0xFF, 0x7F,
                           0x7F, 0xFF, 0x7F, 0x7F}},
      {DType::f8e5m2, {0x14, 0x18, 0x1A, 0x24, 0x35, 0xBA, 0x3C, 0x3D, 0x42, 0xCC, 0x4D, 0x56, 0x5B, 0xDB, 0x5C, 0x5F,
                       0xDF, 0x7A, 0x7B}},
      {DType::f8e5m2fnuz, {0x18, 0x1C, 0x1E, 0x28, 0x39, 0xBE, 0x40, 0x41, 0x46, 0xD0, 0x51, 0x5A, 0x5F, 0xDF, 0x60,
                           0x63, 0xE3, 0x7E, 0x7F}},
      {DType::f4e2m1, {0x0, 0x0, 0x0, 0x0, 0x1, 0x9, 0x2, 0x2, 0x5, 0xF, 0x7, 0x7, 0x7, 0xF, 0x7, 0x7, 0xF, 0x7, 0x7}},
  };
  for (const auto& [dtype, codes] : expected) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      INFO(to_string(dtype) << " " << numbers[i]);
      CHECK(encode_float8(dtype, numbers[i]) == codes[i]);
    }
  }
}

TEST_CASE("out of range: Cast's tables") {
  for (const double big : {1e6, 1e300, infinity}) {
    CHECK(encode_float8(DType::f8e4m3fn, big) == 0x7E);
    CHECK(encode_float8(DType::f8e4m3fn, -big) == 0xFE);
    CHECK(encode_float8(DType::f8e4m3fnuz, -big) == 0xFF);
    CHECK(encode_float8(DType::f8e5m2, big) == 0x7B);
    CHECK(encode_float8(DType::f8e5m2fnuz, big) == 0x7F);
    CHECK(encode_float8(DType::f4e2m1, -big) == 0xF);

    CHECK(encode_float8(DType::f8e4m3fn, big, false) == 0x7F);
    CHECK(encode_float8(DType::f8e4m3fn, -big, false) == 0xFF);
    CHECK(encode_float8(DType::f8e4m3fnuz, -big, false) == 0x80);
    CHECK(encode_float8(DType::f8e5m2, big, false) == 0x7C);
    CHECK(encode_float8(DType::f8e5m2, -big, false) == 0xFC);
    CHECK(encode_float8(DType::f8e5m2fnuz, big, false) == 0x80);
    CHECK(encode_float8(DType::f4e2m1, big, false) == 0x7);
  }
  for (const Format& format : formats) {
    if (format.dtype == DType::f4e2m1) continue;
    CHECK(std::isnan(decode_float8(format.dtype, encode_float8(format.dtype, not_a_number))));
    CHECK(std::isnan(decode_float8(format.dtype, encode_float8(format.dtype, -not_a_number))));
  }
  CHECK(encode_float8(DType::f4e2m1, not_a_number) == 0x7);
}

TEST_CASE("what rounds back into the range is not out of range") {
  CHECK(encode_float8(DType::f8e4m3fn, 464.0, false) == 0x7E);
  CHECK(encode_float8(DType::f8e4m3fn, 464.1, false) == 0x7F);
  CHECK(encode_float8(DType::f8e5m2, 61439.0, false) == 0x7B);
  CHECK(encode_float8(DType::f8e5m2, 61440.0, false) == 0x7C);
}

TEST_CASE("zero keeps its sign where the format has two zeros") {
  CHECK(encode_float8(DType::f8e4m3fn, -0.0) == 0x80);
  CHECK(encode_float8(DType::f8e5m2, -1e-30) == 0x80);
  CHECK(encode_float8(DType::f4e2m1, -0.0) == 0x8);
  CHECK(encode_float8(DType::f8e4m3fnuz, -0.0) == 0);
  CHECK(encode_float8(DType::f8e5m2fnuz, -1e-300) == 0);
  CHECK(encode_float8(DType::f8e5m2, std::numeric_limits<double>::denorm_min()) == 0);
}

TEST_CASE("f8e8m0 holds the powers of two") {
  for (int code = 0; code < 255; ++code) {
    const double value = std::ldexp(1.0, code - 127);
    const auto byte = static_cast<std::uint8_t>(code);
    INFO(code);
    CHECK(decode_f8e8m0(byte) == value);
    for (const PowerRounding rounding : {PowerRounding::up, PowerRounding::down, PowerRounding::nearest}) {
      CHECK(encode_f8e8m0(value, rounding, false) == byte);
    }
    if (code == 254) continue;
    CHECK(encode_f8e8m0(1.001 * value, PowerRounding::up) == code + 1);
    CHECK(encode_f8e8m0(1.999 * value, PowerRounding::down) == code);
    CHECK(encode_f8e8m0(1.499 * value, PowerRounding::nearest) == code);
    CHECK(encode_f8e8m0(1.5 * value, PowerRounding::nearest) == code + 1);
  }
  CHECK(std::isnan(decode_f8e8m0(255)));
}

TEST_CASE("f8e8m0 out of range: Cast's table") {
  CHECK(encode_f8e8m0(0.0) == 0);
  CHECK(encode_f8e8m0(infinity) == 254);
  CHECK(encode_f8e8m0(1e300) == 254);
  CHECK(encode_f8e8m0(1e-300) == 0);
  CHECK(encode_f8e8m0(not_a_number) == 255);
  CHECK(encode_f8e8m0(-1.0) == 255);
  for (const double value : {0.0, infinity, 1e300, 1e-300}) {
    CHECK(encode_f8e8m0(value, PowerRounding::nearest, false) == 255);
  }
}

TEST_CASE("other dtypes are not small floats") {
  CHECK_THROWS_AS(decode_float8(DType::f16, 0), graft::Error);
  CHECK_THROWS_AS(encode_float8(DType::f8e8m0, 1.0), graft::Error);
}
