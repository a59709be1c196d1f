#include <catch2/catch.hpp>

#include <graft/qonnx/ops/integer_range.hpp>

using namespace graft::qonnx;

TEST_CASE("a narrow range lacks the lowest signed or the highest unsigned integer", "[qonnx]") {
  CHECK(integer_range(8, true, false) == IntegerRange{-128, 127});
  CHECK(integer_range(8, true, true) == IntegerRange{-127, 127});
  CHECK(integer_range(8, false, false) == IntegerRange{0, 255});
  CHECK(integer_range(8, false, true) == IntegerRange{0, 254});
  CHECK(integer_range(1, false, false) == IntegerRange{0, 1});
}

TEST_CASE("a fractional bit width has bounds between integers", "[qonnx]") {
  const IntegerRange range = integer_range(6.5F, false, false);
  CHECK(range.min == 0);
  CHECK(range.max == Approx(89.5097));
}
