#include <graft/rewrite/near_names.hpp>

#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

using Names = std::vector<std::string_view>;

TEST_CASE("plain names are the same whatever their case and the characters between their words") {
  CHECK(same_plain_name("Fuse_Gelu", "fuse-gelu"));
  CHECK_FALSE(same_plain_name("fuse-gelu", "fuse-gelu-2"));
}

TEST_CASE("a message ends with the names that may be meant") {
  const Names names{"aaaa", "aaab", "zzzz"};
  CHECK(did_you_mean("aaac", names) == "; did you mean 'aaaa' or 'aaab'?");
  CHECK(did_you_mean("mmmm", names) == "");
  CHECK(did_you_mean("c", Names{"a", "b"}) == "");  // of which nothing is right
}
