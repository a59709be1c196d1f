#include <graft/rewrite/near_names.hpp>

#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

using Names = std::vector<std::string_view>;

TEST_CASE("names are near by few letters, whatever their case and what stands between their words") {
  const Names names{"ort-cpu-x64", "ort-cpu-avx2", "ort-cpu-arm64", "onednn", "paper"};
  CHECK(near_names("ort-cpu-x46", names) == Names{"ort-cpu-x64"});
  CHECK(near_names("OneDNN_", names) == Names{"onednn"});
  CHECK(near_names("pper", names) == Names{"paper"});
  CHECK(near_names("gpu", names).empty());
  CHECK(near_names("", names).empty());
}

TEST_CASE("names are near if one is part of the other, the nearest first, at most three") {
  const Names names{"fuse-gelu-by-erf", "fuse-gelu", "gelu-to-tanh-gelu", "fuse-gelu-by-tanh", "gel", "fuse-gelu"};
  CHECK(near_names("fuse_gelo", names) == Names{"fuse-gelu"});
  CHECK(near_names("gelu", names) == Names{"gel", "fuse-gelu", "fuse-gelu-by-erf"});
}

TEST_CASE("a message ends with the names that may be meant") {
  const Names names{"aaaa", "aaab", "zzzz"};
  CHECK(did_you_mean("aaac", names) == "; did you mean 'aaaa' or 'aaab'?");
  CHECK(did_you_mean("mmmm", names) == "");
  CHECK(did_you_mean("c", Names{"a", "b"}) == "");  // of which nothing is right
}
