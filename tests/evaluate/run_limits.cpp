#include <graft/evaluate/run_limits.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// Counts for ever: it has no trip count, or one that is never reached, and its condition stays true.
Model endless(const std::string& trips) {
  return graph("start = i64[] 0; one = i64[] 1; most = i64[] 9223372036854775807; go = bool[] 1; counted = Loop(" +
               trips + ", go, start) {body={ i: i64[]; c: bool[]; n: i64[]; d = Identity(c); m = Add(n, one); "
               "return d, m }}");
}

std::string failure(const Model& model, RunLimits limits) {
  try {
    Evaluator(model.graph(), std::move(limits)).run({});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an endless Loop ends where bodies have run as often as they may") {
  for (const char* const trips : {"_", "most"})
    CHECK(failure(endless(trips), {.most_bodies = 1000}) ==
          "node 'counted': bodies have run 1000 times, which is the limit");
}

TEST_CASE("an endless Loop ends when it is cancelled") {
  int asked = 0;
  const std::string what = failure(endless("_"), {.cancelled = [&] { return ++asked == 100; }});
  CHECK(what.find("the run was cancelled") != std::string::npos);
  CHECK(asked == 100);
}

TEST_CASE("a Loop whose body computes nothing can be cancelled too") {
  const Model model = graph("go = bool[] 1; "
                            "y = Loop(_, go, i64[] 0) {body={ i: i64[]; c: bool[]; n: i64[]; return c, n }}");
  int asked = 0;
  CHECK(failure(model, {.cancelled = [&] { return ++asked == 100; }}) == "node 'y': the run was cancelled");
}

TEST_CASE("each run has the limit for itself, and bodies in bodies count") {
  const Model model = graph("x: f32[2]; three = i64[] 3; go = bool[] 1; "
                            "y = Loop(three, _, x) {body={ i: i64[]; c: bool[]; a: f32[2]; d = Identity(c); "
                            "b = If(go) {then_branch={ t = Neg(a) }, else_branch={ u = Abs(a) }}; return d, b }}");
  const Feeds feeds{{"x", Tensor::of<float>({2}, {1, 2})}};
  const Evaluator enough(model.graph(), {.most_bodies = 6});
  for (int i = 0; i < 2; ++i) CHECK(enough.run(feeds)[0].data<float>()[1] == -2);
  CHECK_THROWS_WITH(Evaluator(model.graph(), {.most_bodies = 5}).run(feeds), Catch::Contains("which is the limit"));
}
