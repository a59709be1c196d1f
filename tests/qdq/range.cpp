#include <graft/qdq/range.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a range is empty until it is merged with something", "[quantize]") {
  Range range;
  CHECK(range.empty());
  CHECK(range.within({0, 1}));
  range.merge({-1, 2});
  CHECK(range == Range{-1, 2});
  range.merge({}).merge({0, 3});
  CHECK(range == Range{-1, 3});
}

TEST_CASE("a range knows whether it lies within another", "[quantize]") {
  CHECK(Range{0, 1}.within({0, 1}));
  CHECK_FALSE(Range{-0.1f, 1}.within({0, 1}));
  CHECK_FALSE(Range{0, 1.1f}.within({0, 1}));
}

TEST_CASE("a range is clamped end by end", "[quantize]") {
  CHECK(Range{-1, 8}.clamped({0, 6}) == Range{0, 6});
  CHECK(Range{1, 2}.clamped({0, 6}) == Range{1, 2});
  CHECK(Range{7, 8}.clamped({0, 6}) == Range{6, 6});
}
