#include <graft/quantize/kernel/release.hpp>

#include <string>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a release is the first two numbers of a version", "[quantize]") {
  CHECK(Release::parse("1.31") == Release{1, 31});
  CHECK(Release::parse("1.31.1") == Release{1, 31});
  CHECK(Release::parse("1.31.0.dev20261101") == Release{1, 31});
  CHECK(to_string(Release{1, 31}) == "1.31");
}

TEST_CASE("releases are ordered by numbers, not as text", "[quantize]") {
  CHECK(Release{1, 9} < Release{1, 31});
  CHECK(Release{1, 31} < Release{2, 0});
}

TEST_CASE("other text is not a release", "[quantize]") {
  for (const char* const text : {"", "1", "1.", "v1.31", "1.x", "1.31-rc", "-1.2", "1.-2", "99999999999.1"})
    CHECK_THROWS_WITH(Release::parse(text),
                      "release: '" + std::string(text) + "' is not a release: expected two numbers, like 1.31");
}
