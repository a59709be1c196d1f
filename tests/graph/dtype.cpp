#include <graft/graph/dtype.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <graft/graph/onnx.hpp>

using graft::DType;

namespace {
constexpr std::int32_t dtype_count = 27;
}

TEST_CASE("dtypes carry ONNX's numbers") {
  using onnx::TensorProto;
  CHECK(static_cast<int>(DType::f32) == TensorProto::FLOAT);
  CHECK(static_cast<int>(DType::u8) == TensorProto::UINT8);
  CHECK(static_cast<int>(DType::i8) == TensorProto::INT8);
  CHECK(static_cast<int>(DType::u16) == TensorProto::UINT16);
  CHECK(static_cast<int>(DType::i16) == TensorProto::INT16);
  CHECK(static_cast<int>(DType::i32) == TensorProto::INT32);
  CHECK(static_cast<int>(DType::i64) == TensorProto::INT64);
  CHECK(static_cast<int>(DType::string) == TensorProto::STRING);
  CHECK(static_cast<int>(DType::boolean) == TensorProto::BOOL);
  CHECK(static_cast<int>(DType::f16) == TensorProto::FLOAT16);
  CHECK(static_cast<int>(DType::f64) == TensorProto::DOUBLE);
  CHECK(static_cast<int>(DType::u32) == TensorProto::UINT32);
  CHECK(static_cast<int>(DType::u64) == TensorProto::UINT64);
  CHECK(static_cast<int>(DType::c64) == TensorProto::COMPLEX64);
  CHECK(static_cast<int>(DType::c128) == TensorProto::COMPLEX128);
  CHECK(static_cast<int>(DType::bf16) == TensorProto::BFLOAT16);
}

TEST_CASE("every dtype has a name of its own, which leads back to it") {
  std::set<std::string_view> names;
  for (std::int32_t i = 0; i < dtype_count; ++i) {
    const DType dtype{i};
    CHECK(graft::is_known(dtype));
    CHECK(names.insert(to_string(dtype)).second);
    CHECK(graft::dtype_named(to_string(dtype)) == dtype);
  }
  CHECK_FALSE(graft::is_known(DType{dtype_count}));
  CHECK_FALSE(graft::is_known(DType{-1}));
  CHECK(graft::dtype_named("float") == DType::undefined);
}

TEST_CASE("the name of a dtype gives its width") {
  for (std::int32_t i = 0; i < dtype_count; ++i) {
    const std::string name(to_string(DType{i}));
    const std::size_t digit = name.find_first_of("0123456789");
    if (digit != std::string::npos) CHECK(graft::bits(DType{i}) == std::stoul(name.substr(digit)));
  }
  CHECK(graft::bits(DType::boolean) == 8);
  CHECK(graft::bits(DType::string) == 0);
  CHECK(graft::bits(DType::undefined) == 0);
}

TEST_CASE("a dtype is of one class at most") {
  for (std::int32_t i = 0; i < dtype_count; ++i) {
    const std::string name(to_string(DType{i}));
    INFO(name);
    CHECK(is_float(DType{i}) == (name[0] == 'f' || name == "bf16"));
    CHECK(is_complex(DType{i}) == (name[0] == 'c'));
    CHECK(is_signed_integer(DType{i}) == (name[0] == 'i'));
    CHECK(is_unsigned_integer(DType{i}) == (name[0] == 'u' && name != "undefined"));
  }
  CHECK(is_signed(DType::f8e5m2));
  CHECK_FALSE(is_signed(DType::f8e8m0));
  CHECK_FALSE(is_signed(DType::boolean));
}

TEST_CASE("integer dtypes know their range") {
  CHECK(graft::lowest(DType::i8) == -128);
  CHECK(graft::highest(DType::i8) == 127);
  CHECK(graft::lowest(DType::u8) == 0);
  CHECK(graft::highest(DType::u8) == 255);
  CHECK(graft::lowest(DType::i4) == -8);
  CHECK(graft::highest(DType::i4) == 7);
  CHECK(graft::highest(DType::u4) == 15);
  CHECK(graft::lowest(DType::i2) == -2);
  CHECK(graft::highest(DType::u2) == 3);
  CHECK(graft::lowest(DType::i32) == std::numeric_limits<std::int32_t>::min());
  CHECK(graft::highest(DType::u32) == std::numeric_limits<std::uint32_t>::max());
  CHECK(graft::lowest(DType::i64) == std::numeric_limits<std::int64_t>::min());
  CHECK(graft::highest(DType::i64) == std::numeric_limits<std::int64_t>::max());
  CHECK(graft::lowest(DType::u64) == 0);
  CHECK_THROWS_AS(graft::highest(DType::u64), graft::Error);
  CHECK_THROWS_AS(graft::lowest(DType::f32), graft::Error);
  CHECK_THROWS_AS(graft::highest(DType::boolean), graft::Error);
}

TEST_CASE("dtypes without a C++ type are stored as bytes") {
  CHECK(graft::stores<float>(DType::f32));
  CHECK(graft::stores<Eigen::half>(DType::f16));
  CHECK(graft::stores<bool>(DType::boolean));
  CHECK_FALSE(graft::stores<std::uint8_t>(DType::boolean));
  CHECK_FALSE(graft::stores<std::uint16_t>(DType::bf16));
  CHECK_FALSE(graft::stores<std::uint8_t>(DType::i8));
  for (const DType dtype : {DType::u8, DType::u4, DType::i4, DType::u2, DType::i2, DType::f4e2m1, DType::f8e4m3fn,
                            DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f8e8m0}) {
    INFO(to_string(dtype));
    CHECK(graft::stores<std::uint8_t>(dtype));
    CHECK_FALSE(graft::stores<std::int8_t>(dtype));
  }
}

TEST_CASE("alignment is that of the C++ type") {
  CHECK(alignment(DType::f32) == alignof(float));
  CHECK(alignment(DType::i64) == alignof(std::int64_t));
  CHECK(alignment(DType::c64) == alignof(std::complex<float>));
  CHECK(alignment(DType::c128) == alignof(std::complex<double>));
  CHECK(alignment(DType::f16) == alignof(Eigen::half));
  CHECK(alignment(DType::i4) == 1);
  CHECK(alignment(DType::boolean) == 1);
}
