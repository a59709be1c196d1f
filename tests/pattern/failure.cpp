#include <graft/pattern/failure.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a failure is plain data, and none by default") {
  STATIC_REQUIRE(std::is_trivially_copyable_v<Failure>);
  CHECK(Failure{}.why == Why::none);
}

TEST_CASE("each reason has the name of its enumerator") {
  CHECK(to_string(Why::none) == "none");
  CHECK(to_string(Why::not_constant) == "not_constant");
  CHECK(to_string(Why::attribute_unmentioned) == "attribute_unmentioned");
  CHECK(to_string(Why::budget) == "budget");
}
