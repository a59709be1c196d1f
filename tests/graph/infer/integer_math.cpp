#include <graft/graph/infer/integer_math.hpp>

#include <limits>

#include <catch2/catch.hpp>

using graft::Dim;
using graft::DType;
using graft::Integer;
using namespace graft::infer;

namespace {
const Integer n{Dim("N")}, m{Dim("M")}, unknown;
const Integer most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
}  // namespace

TEST_CASE("neutral elements keep symbols") {
  CHECK(add(n, 0) == n);
  CHECK(add(0, n) == n);
  CHECK(add(n, 1) == unknown);
  CHECK(subtract(n, 0) == n);
  CHECK(subtract(n, n).is(0));
  CHECK(subtract(n, m) == unknown);
  CHECK(multiply(n, 1) == n);
  CHECK(multiply(unknown, 0).is(0));
  CHECK(divide(n, 1) == n);
  CHECK(divide(n, 2) == unknown);
}

TEST_CASE("division rounds to zero, modulo with the divisor or with the dividend") {
  CHECK(divide(-7, 2).is(-3));
  CHECK(divide(7, 0) == unknown);
  CHECK(floor_modulo(-7, 3).is(2));
  CHECK(floor_modulo(7, -3).is(-2));
  CHECK(floor_modulo(6, -3).is(0));
  CHECK(truncated_modulo(-7, 3).is(-1));
  CHECK(truncated_modulo(7, 0) == unknown);
}

TEST_CASE("what overflows is unknown") {
  CHECK(add(most, 1) == unknown);
  CHECK(subtract(least, 1) == unknown);
  CHECK(multiply(most, 2) == unknown);
  CHECK(divide(least, -1) == unknown);
  CHECK(floor_modulo(least, -1).is(0));
  CHECK(truncated_modulo(least, -1).is(0));
}

TEST_CASE("a symbol stands for a size: it is not negative") {
  CHECK(less(n, 0).is(0));
  CHECK(less(-1, n).is(1));
  CHECK(less(n, 1) == unknown);
  CHECK(less(n, n).is(0));
  CHECK(equal(n, -1).is(0));
  CHECK(equal(-1, n).is(0));
  CHECK(equal(n, n).is(1));
  CHECK(equal(n, 0) == unknown);
  CHECK(equal(unknown, unknown) == unknown);
}

TEST_CASE("logic of what is half known") {
  CHECK(logical_and(unknown, 0).is(0));
  CHECK(logical_and(unknown, 1) == unknown);
  CHECK(logical_or(unknown, 1).is(1));
  CHECK(logical_or(0, 0).is(0));
  CHECK(logical_or(unknown, 0) == unknown);
  CHECK(logical_not(0).is(1));
  CHECK(choose(1, n, m) == n);
  CHECK(choose(0, n, m) == m);
  CHECK(choose(unknown, n, n) == n);
  CHECK(choose(unknown, n, m) == unknown);
}

TEST_CASE("the smaller and the larger") {
  CHECK(smaller(2, 3).is(2));
  CHECK(larger(2, 3).is(3));
  CHECK(smaller(n, -1).is(-1));
  CHECK(larger(n, -1) == n);
  CHECK(larger(0, n) == n);
  CHECK(smaller(n, 5) == unknown);
}

TEST_CASE("casts to what is followed") {
  CHECK(cast(7, DType::boolean).is(1));
  CHECK(cast(n, DType::boolean) == unknown);
  CHECK(cast(n, DType::i32) == n);
  CHECK(cast(most, DType::i64) == most);
  CHECK(cast(most, DType::i32) == unknown);
  CHECK(is_followed(DType::i32));
  CHECK_FALSE(is_followed(DType::f32));
  CHECK_FALSE(is_followed(DType::u8));
}
