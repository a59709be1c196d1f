#include <graft/graph/name_pattern.hpp>

#include <string>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a pattern matches whole names", "[quantize]") {
  const NamePattern pattern = "conv_[0-9]+|head";
  CHECK(pattern.text() == "conv_[0-9]+|head");
  CHECK(pattern.matches("conv_12"));
  CHECK(pattern.matches("head"));
  CHECK_FALSE(pattern.matches("conv_"));
  CHECK_FALSE(pattern.matches("my_head"));
  CHECK_FALSE(pattern.matches("header"));
  CHECK_FALSE(pattern.matches(""));
}

TEST_CASE("a name matches itself, whatever it means as an expression", "[quantize]") {
  CHECK(NamePattern("/a/b[0].c+d").matches("/a/b[0].c+d"));
  CHECK_FALSE(NamePattern(std::string("a+")).matches("b"));
}

TEST_CASE("what is not an expression is an error that shows it", "[quantize]") {
  CHECK_THROWS_WITH(NamePattern("conv_(1"), Catch::StartsWith("'conv_(1' is not a regular expression; patterns match"));
}

TEST_CASE("a name of any length is held against an expression", "[quantize]") {
  const std::string longest(1000, 'a'), longer(1 << 20, 'a');
  CHECK(NamePattern("a*").matches(longest));
  CHECK_FALSE(NamePattern("a*").matches(longer));
  CHECK(NamePattern(longer.substr(0, 2000)).matches(longer.substr(0, 2000)));
}
