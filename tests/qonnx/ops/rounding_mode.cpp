#include <graft/qonnx/ops/rounding_mode.hpp>

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace graft::qonnx;

TEST_CASE("each mode rounds ties and what lies between its own way", "[qonnx]") {
  struct Row {
    RoundingMode mode;
    float results[6];
  };
  const float inputs[] = {-2.5F, -1.5F, -0.2F, 0.2F, 1.5F, 2.5F};
  const Row row =
      GENERATE(Row{RoundingMode::half_even, {-2, -2, 0, 0, 2, 2}}, Row{RoundingMode::half_up, {-3, -2, 0, 0, 2, 3}},
               Row{RoundingMode::half_down, {-2, -1, 0, 0, 1, 2}}, Row{RoundingMode::up, {-3, -2, -1, 1, 2, 3}},
               Row{RoundingMode::down, {-2, -1, 0, 0, 1, 2}}, Row{RoundingMode::floor, {-3, -2, -1, 0, 1, 2}},
               Row{RoundingMode::ceil, {-2, -1, 0, 1, 2, 3}});
  CAPTURE(row.mode);
  for (int i = 0; i < 6; ++i) CHECK(graft::qonnx::round(inputs[i], row.mode) == row.results[i]);
}

TEST_CASE("halves are added in float32", "[qonnx]") {
  CHECK(graft::qonnx::round(std::nextafter(0.5F, 0.0F), RoundingMode::half_up) == 1);
}

TEST_CASE("NaN and infinities are not rounded", "[qonnx]") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* const name : {"ROUND", "HALF_UP", "HALF_DOWN", "UP", "DOWN", "FLOOR", "CEIL"}) {
    const RoundingMode mode = rounding_mode(name).value();
    CAPTURE(mode);
    CHECK(std::isnan(graft::qonnx::round(std::nanf(""), mode)));
    CHECK(graft::qonnx::round(-infinity, mode) == -infinity);
    CHECK(to_string(mode) == name);
  }
}

TEST_CASE("names of modes are of any case", "[qonnx]") {
  CHECK(rounding_mode("half_even") == RoundingMode::half_even);
  CHECK(rounding_mode("Round_To_Zero") == RoundingMode::down);
  CHECK_FALSE(rounding_mode("nearest"));
}
