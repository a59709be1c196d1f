#include <graft/simplify/eliminate/where_not.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("where_not selects the other way round") {
  const std::string head = "c: bool[2,1]; x: f32[N]; z: f32[]; ";
  CHECK(given(head + "y = Where(Not(c), x, z)").rule(where_not).becomes(head + "y = Where(c, z, x)"));
  CHECK(given(head + "n = Not(c); y = Where(n, x, z); return y, n").rule(where_not).refuses("graph output"));
  CHECK(variants(where_not, head + "n = Not(c); y = Where(n, x, z)"));
}
