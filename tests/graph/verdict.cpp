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
