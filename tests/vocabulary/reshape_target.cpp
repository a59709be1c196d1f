#include <graft/vocabulary/reshape_target.hpp>

#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

const Shape from(std::vector<Dim>{Dim("B"), Dim("S"), Dim(6)});

std::optional<Ints> target(const std::vector<Integer>& elements, bool zero_is_meant = false) {
  const auto found = vocabulary::ReshapeTarget::of(from, elements, zero_is_meant);
  return found ? std::optional(found->numbers) : std::nullopt;
}
Integer symbol(const char* name) { return Integer(Dim(name)); }

}  // namespace

TEST_CASE("extents of the input are copied, and one element is left to be inferred") {
  CHECK(target({symbol("B"), symbol("S"), 2, 3}) == Ints{0, 0, 2, 3});
  CHECK(target({symbol("S"), 6}) == Ints{-1, 6});
  CHECK(target({symbol("B"), Integer(), 6}) == Ints{0, -1, 6});
  CHECK(target({-1, 6}) == Ints{-1, 6});
  CHECK_FALSE(target({symbol("S"), symbol("B"), 6}));
}

TEST_CASE("a 0 that is meant stands beside numbers only") {
  CHECK(target({0, 6}, true) == Ints{0, 6});
  CHECK_FALSE(target({0, symbol("S")}, true));
  CHECK_FALSE(target({symbol("B"), 0}, true));
  CHECK(target({0, symbol("S"), 6}) == Ints{0, 0, 6});
}
