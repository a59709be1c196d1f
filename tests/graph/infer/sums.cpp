#include <graft/graph/infer/sums.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/infer/known_contents.hpp>

#include "graph/infer/told.hpp"

using graft::Dim;
using graft::Integer;
using graft::KnownContents;

namespace {

Integer symbol(std::string_view text) { return Integer(Dim(text)); }

std::string sum(const Integer& a, const Integer& b) { return to_string(KnownContents().sum(a, b).dim()); }
std::string difference(const Integer& a, const Integer& b) { return to_string(KnownContents().difference(a, b).dim()); }

}  // namespace

TEST_CASE("a sum has one symbol, whatever the order of its summands") {
  CHECK(sum(symbol("past"), symbol("new")) == "new + past");
  CHECK(sum(symbol("new"), symbol("past")) == "new + past");
  CHECK(sum(symbol("new + past"), symbol("new")) == "2*new + past");
  CHECK(sum(symbol("2*new + 3"), symbol("4 + new")) == "3*new + 7");
  CHECK(sum(symbol("past"), 1) == "past + 1");
  CHECK(sum(symbol("past"), 0) == "past");
  CHECK(sum(symbol("past"), Integer()) == "?");
  CHECK(sum(symbol("past"), -1) == "?");
}

TEST_CASE("a difference of sums is known if it is not negative") {
  CHECK(difference(symbol("new + past"), symbol("past")) == "new");
  CHECK(difference(symbol("new + past"), symbol("new + past")) == "0");
  CHECK(difference(symbol("past + 3"), symbol("past")) == "3");
  CHECK(difference(symbol("past + 3"), 2) == "past + 1");
  CHECK(difference(symbol("past"), 1) == "?");
  CHECK(difference(symbol("past"), symbol("new")) == "?");
  CHECK(difference(symbol("2*past"), symbol("past")) == "past");
}

TEST_CASE("other expressions are summands of their own") {
  CHECK(sum(symbol("Min(a + b, c)"), symbol("a")) == "Min(a + b, c) + a");
  CHECK(difference(symbol("Min(a + b, c) + a"), symbol("a")) == "Min(a + b, c)");
  CHECK(sum(symbol("a - 1"), symbol("a")) == "a + a - 1");
  CHECK(difference(symbol("a + a - 1"), symbol("a")) == "?");
  CHECK(sum(symbol("batch*2"), symbol("batch*2")) == "2*batch*2");
  CHECK(sum(symbol("9223372036854775807"), symbol("1")) == "?");
  CHECK(sum(symbol("99999999999999999999*a"), symbol("b")) == "99999999999999999999*a + b");
}

TEST_CASE("sums of many symbols are unknown, so that rows of them take linear memory") {
  const std::string half(120, 'a'), other(120, 'b');
  CHECK(sum(symbol(half), symbol(other)) == half + " + " + other);
  CHECK(sum(symbol(half + other), symbol(half)) == "?");
  CHECK(sum(symbol(half + half + other), symbol("c")) == "?");
  KnownContents known;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("symbol_" + std::to_string(i));
  Integer total = symbol("first");
  for (const std::string& name : names) total = known.sum(total, symbol(name));
  CHECK_FALSE(total.symbolic());
}

TEST_CASE("a multiple of an expression has it in parentheses, unless it is a factor") {
  CHECK(sum(symbol("a - 1"), symbol("a - 1")) == "2*(a - 1)");
  CHECK(sum(symbol("2*(a - 1)"), symbol("a - 1")) == "2*(a - 1) + a - 1");
  CHECK(sum(symbol("a//2"), symbol("a//2")) == "2*(a//2)");
  CHECK(sum(symbol("a % 2"), symbol("a % 2")) == "2*(a % 2)");
  CHECK(sum(symbol("a+1"), symbol("a+1")) == "2*(a+1)");
  CHECK(sum(symbol("Min(a - 1, b)"), symbol("Min(a - 1, b)")) == "2*Min(a - 1, b)");
  CHECK(difference(symbol("3*a//2"), symbol("a//2")) == "?");
}

TEST_CASE("inference adds symbols") {
  CHECK(told("Concat", {"f32[N,P]", "f32[N,S]"}, {{"axis", 1}}) == "f32[N,P + S]");
  CHECK(told("Attention", {"f32[B,2,S,8]", "f32[B,2,S,8]", "f32[B,2,S,8]", "", "f32[B,2,P,8]", "f32[B,2,P,8]"}, {},
             {.opset = 23, .outputs = 3}) == "f32[B,2,S,8] f32[B,2,P + S,8] f32[B,2,P + S,8]");
}
