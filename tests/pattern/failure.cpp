#include <graft/pattern/failure.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a failure is plain data, and none by default") {
  STATIC_REQUIRE(std::is_trivially_copyable_v<Failure>);
  CHECK(Failure{}.why == Why::none);
}
