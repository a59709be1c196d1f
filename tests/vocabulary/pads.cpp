#include <graft/vocabulary/pads.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

using namespace graft::vocabulary;

TEST_CASE("summed pads are those of the spatial axes, fronts first") {
  CHECK(summed_pads({1, 2, 3, 4}, {0, 0, 5, 6, 0, 0, 7, 8}, std::nullopt) == Ints{6, 8, 10, 12});
  CHECK(summed_pads({0, 0, 0, 0}, {1, 2, 3, 4}, Ints{3, 2}) == Ints{2, 1, 4, 3});
  CHECK_FALSE(summed_pads({0, 0}, {0, 1, 0, 0, 0, 0}, std::nullopt));
  CHECK_FALSE(summed_pads({1, 1}, {0, 0, -1, 0, 0, 0}, std::nullopt));
  CHECK_FALSE(summed_pads({1, 1}, {0, 0, 1}, std::nullopt));
  CHECK_FALSE(summed_pads({0, 0}, {1, 0}, Ints{3}));
}

TEST_CASE("explicit pads") {
  CHECK(has_explicit_pads("NOTSET", {1, 1}));
  CHECK(has_explicit_pads("VALID", {0, 0}));
  CHECK_FALSE(has_explicit_pads("VALID", {0, 1}));
  CHECK_FALSE(has_explicit_pads("SAME_UPPER", {0, 0}));
}
