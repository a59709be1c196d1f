#include <graft/session/session_bench.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a bench is an interface") {
  STATIC_REQUIRE(std::is_abstract_v<SessionBench>);
  STATIC_REQUIRE(std::has_virtual_destructor_v<SessionBench>);
  CHECK(OutputDifference().relative == 0);
}
