#include <graft/pattern/ints.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("ints is a row with its numbers as words") {
  constexpr auto p = ints(1, -1, 7);
  CHECK(p.nodes[0].step == Step::ints);
  CHECK(p.attrs[0].word_count == 3);
  CHECK(p.words == std::array<std::int64_t, 3>{1, -1, 7});
  CHECK(ints().words.empty());
}
