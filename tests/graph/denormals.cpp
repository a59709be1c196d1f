#include <graft/graph/denormals.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("denormals are not 0 and below the least normal number") {
  constexpr float least = std::numeric_limits<float>::min(), denormal = std::numeric_limits<float>::denorm_min();
  CHECK(count_denormals({}) == 0);
  CHECK(count_denormals(std::vector<float>{0, -0.0F, least, -least, 1, std::numeric_limits<float>::infinity(),
                                           std::numeric_limits<float>::quiet_NaN()}) == 0);
  CHECK(count_denormals(std::vector<float>{denormal, -denormal, least / 2, 1}) == 3);
  constexpr std::uint16_t least_bf16 = 1U << 7;
  CHECK(is_denormal<std::uint16_t>(0x8001, least_bf16));
  CHECK_FALSE(is_denormal<std::uint16_t>(0x8000, least_bf16));
  CHECK_FALSE(is_denormal<std::uint16_t>(0x8080, least_bf16));
}
