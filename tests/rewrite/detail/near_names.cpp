#include <graft/rewrite/detail/near_names.hpp>

#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using graft::detail::near_names;

using Names = std::vector<std::string_view>;

TEST_CASE("names are near by few letters, whatever their case and the characters between their words") {
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

TEST_CASE("short names, and names with many letters changed, are not near") {
  CHECK(near_names("gpux", Names{"gpu"}) == Names{"gpu"});       // a letter too many
  CHECK(near_names("gpu-arm64", Names{"gpu"}).empty());          // a part of fewer than four letters
  CHECK(near_names("cpu-arm64", Names{"cpu-"}).empty());
  CHECK(near_names("abcdefgh", Names{"abcdexyz"}).empty());      // three letters of eight
  CHECK(near_names("abcdefghijkl", Names{"abcdefghixyz"}) == Names{"abcdefghixyz"});
}
