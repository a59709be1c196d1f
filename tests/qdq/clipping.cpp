#include <graft/qdq/clipping.hpp>

#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("the squared error is that of rounding and of clipping", "[quantize]") {
  // 3 bits, a step of 1: codes from -3 to 3
  CHECK(squared_error(std::vector<float>{0.25f, -1.5f, 3.25f, -5}, 3, 3) == 0.0625 + 0.25 + 0.0625 + 4);
  CHECK(squared_error(std::vector<float>(100, 0.5f), 127, 8) == 100 * 0.25);  // ties go to the even 0
  CHECK(squared_error({}, 1, 8) == 0);
}

TEST_CASE("a rare outlier is clipped, where that pays", "[quantize]") {
  // At 2 bits a code is -1, 0 or 1: 100 values 1.2 and one of -10 make 100 (1.2 - t)^2 + (10 - t)^2 at a magnitude
  // t that 1.2 is rounded to, which is least at t = (120 + 10) / 101, and 144 at t = 10, where it is rounded to 0.
  std::vector<float> values(100, 1.2f);
  values.push_back(-10);
  CHECK(least_error_magnitude(values, 2) == 1.3f);
  values.resize(10);
  values.push_back(-10);
  CHECK(least_error_magnitude(values, 2) == 10);
}

TEST_CASE("what has no outlier is not clipped", "[quantize]") {
  CHECK(least_error_magnitude(std::vector<float>{1, -1, 1, 0}, 8) == 1);
  CHECK(least_error_magnitude(std::vector<float>{0, 0}, 8) == 0);
  CHECK(least_error_magnitude({}, 8) == 0);
}
