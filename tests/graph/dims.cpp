#include <graft/graph/dims.hpp>

#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

using graft::byte_count;
using graft::Dims;
using graft::DType;
using graft::element_count;

namespace {
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
}

TEST_CASE("the number of elements is the product of the dims") {
  CHECK(element_count(Dims{}) == 1);
  CHECK(element_count(Dims{7}) == 7);
  CHECK(element_count(Dims{2, 3, 4}) == 24);
  CHECK(element_count(Dims{huge, 1}) == huge);
}

TEST_CASE("a zero among dims leaves nothing, but strides that overflow are not strides") {
  CHECK(element_count(Dims{huge, 0}) == 0);
  CHECK(byte_count(DType::u8, Dims{0, 7, huge / 64}) == 0);
  CHECK_THROWS_WITH(element_count(Dims{huge, huge, 0}), Catch::Contains("overflows"));
  CHECK_THROWS_WITH(byte_count(DType::f64, Dims{huge, 0, huge}), Catch::Contains("overflows"));
}

TEST_CASE("negative and overflowing dims are errors that show them") {
  CHECK_THROWS_WITH(element_count(Dims{2, -1}), "negative dim in [2,-1]");
  CHECK_THROWS_WITH(element_count(Dims{0, -1}), "negative dim in [0,-1]");
  CHECK_THROWS_WITH(element_count(Dims{huge, 2}), Catch::Contains("overflows"));
  CHECK_THROWS_WITH(element_count(Dims{1LL << 32, 1LL << 31}), Catch::Contains("[4294967296,2147483648] overflows"));
}

TEST_CASE("bytes of a dense tensor") {
  CHECK(byte_count(DType::f32, Dims{2, 3}) == 24);
  CHECK(byte_count(DType::boolean, Dims{3}) == 3);
  CHECK(byte_count(DType::c128, Dims{}) == 16);
  CHECK(byte_count(DType::i4, Dims{3}) == 2);
  CHECK(byte_count(DType::u4, Dims{2, 2}) == 2);
  CHECK(byte_count(DType::i2, Dims{5}) == 2);
  CHECK(byte_count(DType::u2, Dims{4}) == 1);
  CHECK(byte_count(DType::f32, Dims{0}) == 0);
}

TEST_CASE("sizes that have no bytes are errors") {
  CHECK_THROWS_WITH(byte_count(DType::c128, Dims{huge}), Catch::Contains("overflows"));
  CHECK_THROWS_WITH(byte_count(DType::string, Dims{1}), "string tensors are not dense");
  CHECK_THROWS_WITH(byte_count(DType::undefined, Dims{1}), "undefined tensors are not dense");
  CHECK_THROWS_WITH(byte_count(DType{99}, Dims{1}), "unknown dtype 99");
}

TEST_CASE("dims read as a list") {
  CHECK(graft::to_string(Dims{}) == "[]");
  CHECK(graft::to_string(Dims{1, -2}) == "[1,-2]");
  CHECK(to_string(DType::i8, Dims{2, 3}) == "i8[2,3]");
}
