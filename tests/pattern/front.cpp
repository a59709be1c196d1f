#include <graft/pattern/front.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("patterns are what can stand in one") {
  STATIC_REQUIRE(pattern<decltype(x)>);
  STATIC_REQUIRE(pattern<decltype(op<"Relu">(x))>);
  STATIC_REQUIRE_FALSE(pattern<int>);
  STATIC_REQUIRE_FALSE(pattern<decltype(conv)>);
  STATIC_REQUIRE_FALSE(pattern<decltype(op<"Relu">)>);
}

TEST_CASE("a pattern's type carries sizes and captures only") {
  STATIC_REQUIRE(std::is_same_v<decltype(op<"Relu">(x)), decltype(op<"Tanh">(x))>);
  STATIC_REQUIRE_FALSE(std::is_same_v<decltype(op<"Relu">(x)), decltype(op<"Relu">(y))>);
}

TEST_CASE("rows stand in preorder and skip their subtrees") {
  constexpr auto p = op<"Add">(op<"Conv">(x, w).with(axis), op<"Relu">(y).with(alpha, perm == ints(1, 0)));
  CHECK(p.nodes.size() == 6);
  CHECK(p.nodes[0].end == 6);
  CHECK(p.nodes[1].end == 4);
  CHECK(p.nodes[1].parent == 0);
  CHECK(p.nodes[3].parent == 1);
  CHECK(p.nodes[3].operand == 1);
  CHECK(p.nodes[4].op == "Relu");
  CHECK(p.nodes[4].operand == 1);
  CHECK(p.nodes[1].attr0 == 0);
  CHECK(p.nodes[4].attr0 == 1);
  CHECK(p.nodes[4].attr_count == 2);
  CHECK(p.attrs[2].word_count == 2);
  CHECK(p.words == std::array<std::int64_t, 2>{1, 0});
}

TEST_CASE("attributes added to a pattern with words keep each its own") {
  constexpr auto inner = op<"Transpose">(x).with(perm == ints(2, 1, 0));
  constexpr auto p = op<"Transpose">(inner).with(perm == ints(0, 1)).with(alpha);
  CHECK(p.attrs[0].name == "alpha");
  CHECK(p.words[p.attrs[1].word0] == 0);
  CHECK(p.attrs[1].word_count == 2);
  CHECK(p.nodes[1].attr0 == 2);
  CHECK(p.words[p.attrs[2].word0] == 2);
  CHECK(p.attrs[2].word_count == 3);
}
