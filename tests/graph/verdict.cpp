#include <graft/graph/verdict.hpp>

#include <catch2/catch.hpp>

using graft::Reason;
using graft::Verdict;

TEST_CASE("a verdict is yes, or no with a reason") {
  CHECK(Verdict::yes());
  CHECK_FALSE(Verdict::no("too large"));
  CHECK(Verdict::no("too large").reason().text == "too large");
  Reason reason;
  reason.code = "range";
  CHECK(Verdict::no(reason).reason().code == "range");
}

TEST_CASE("the sentence has places for numbers and a name") {
  const Reason reason{"{name} of {} is not a {name}", "code", {2, 0.5}, 2, "Relu"};
  CHECK(to_string(reason) == "Relu of 2 is not a Relu (0.5)");
}
