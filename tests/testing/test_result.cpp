#include <graft/testing/test_result.hpp>

#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

TEST_CASE("a result is a condition that can be printed") {
  const TestResult good = TestResult::pass();
  const TestResult bad = TestResult::fail("the axis is another");
  CHECK(good);
  CHECK_FALSE(bad);
  CHECK(good.message().empty());
  CHECK(bad.message() == "the axis is another");
  CHECK(shown(good) == "holds");
  CHECK(shown(bad) == "the axis is another");
  CHECK(Catch::Detail::stringify(bad) == "the axis is another");  // what a failed CHECK shows
}
