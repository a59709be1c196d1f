#include <graft/simplify/fold/unroll_loops.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// A Loop that carries one value and gives one slice, so many times.
std::string loop(const std::string& trips, const std::string& condition = "_", const std::string& goes_on = "c") {
  return "x: f32[2]; y, s = Loop(" + trips + ", " + condition +
         ", x) {body={ i: i64[]; c: bool[]; a: f32[2]; d = Cast(i) {to=1}; b = Add(a, d); t = Mul(b, b);" +
         (goes_on == "c" ? "return c, b, t" : goes_on + "; return g, b, t") + " }}; return y, s";
}

}  // namespace

TEST_CASE("a Loop becomes the nodes of its iterations, whose slices are joined") {
  CHECK(given(loop("i64[] 2"))
            .pass(unroll_loops())
            .becomes("x: f32[2]; p = i64[1] 0; b = Add(x, Cast(i64[] 0) {to=1}); t = Mul(b, b);"
                     "y = Add(b, Cast(i64[] 1) {to=1}); u = Mul(y, y);"
                     "s = Concat(Unsqueeze(t, p), Unsqueeze(u, p)) {axis=0}; return y, s"));
  for (const char* const trips : {"i64[] 1", "i64[1] 3", "i64[] 8"}) {
    CHECK(given(loop(trips)).pass(unroll_loops()).equivalent());
    CHECK(given("opset 11;" + loop(trips)).pass(unroll_loops()).equivalent());
    CHECK(given(loop(trips)).pass(unroll_loops() | simplify()).equivalent());
  }
  CHECK(given(loop("i64[] 3", "bool[] true", "g = Identity(c)")).pass(simplify() | unroll_loops()).equivalent());
  CHECK(given(loop("i64[] 3", "_", "g = bool[] true")).pass(unroll_loops()).equivalent());
}

TEST_CASE("a Loop of iterations that are many, or not known, or that may end earlier stays") {
  const auto stays = [](const std::string& text, UnrollOptions options = {}) {
    INFO(text);
    Model model = graph(text);
    CHECK(unroll_loops(options).run(model).changes == 0);
    CHECK(model.graph().nodes().size() == 1);
  };
  stays(loop("i64[] 9"));
  stays(loop("i64[] 2"), {.max_trips = 1});
  stays(loop("i64[] 3"), {.max_nodes = 11});
  stays("n: i64[];" + loop("n"));
  stays("k: bool[];" + loop("i64[] 2", "k"));
  stays(loop("i64[] 2", "bool[] false"));
  stays(loop("i64[] 2", "_", "g = Less(i, i64[] 1)"));
  stays(loop("_", "bool[] true"));
  stays(loop("i64[] 0"));
  Model fits = graph(loop("i64[] 3"));
  CHECK(unroll_loops({.max_nodes = 12}).run(fits).changes == 1);
}

TEST_CASE("a Loop of no iteration gives what it was given") {
  CHECK(given("x: f32[2]; h = Relu(x); y = Loop(i64[] 0, _, h) {body={ i: i64[]; c: bool[]; a: f32[2]; "
              "b = Neg(a); return c, b }}")
            .pass(unroll_loops())
            .becomes("x: f32[2]; y = Relu(x)"));
}

TEST_CASE("what a body reads from outside, its initializers and its own bodies stay what they are") {
  CHECK(given("x: f32[2]; k: bool[]; w = f32[2] {1, 2}; h = Relu(x); y = Loop(i64[] 3, _, x) {"
              "body={ i: i64[]; c: bool[]; a: f32[2]; v = f32[2] {3, 4}; e = Add(a, h); f = Mul(e, w);"
              "g = If(k) {then_branch={ p = Add(f, v) }, else_branch={ q = Sub(f, e) }}; return c, g }}")
            .pass(unroll_loops())
            .equivalent());
}

TEST_CASE("the innermost Loops are written out first, and count for those around them") {
  const std::string text =
      "x: f32[2]; y = Loop(i64[] 2, _, x) {body={ i: i64[]; c: bool[]; a: f32[2]; "
      "b = Loop(i64[] 3, _, a) {body={ j: i64[]; d: bool[]; e: f32[2]; f = Mul(e, e); g = Add(f, x); return d, g }};"
      "return c, b }}";
  CHECK(given(text).pass(unroll_loops()).equivalent());
  Model all = graph(text), inner = graph(text);
  CHECK(unroll_loops().run(all).changes == 2);
  CHECK(all.graph().nodes().size() == 12);
  CHECK(unroll_loops({.max_nodes = 11}).run(inner).changes == 1);
  CHECK(inner.graph().nodes().size() == 1);
}

TEST_CASE("trips that follow from shapes are known") {
  CHECK(given("x: f32[3,2]; n = Gather(Shape(x), i64[] 0); z = f32[2] 0; y = Loop(n, _, z) {"
              "body={ i: i64[]; c: bool[]; a: f32[2]; r = Gather(x, i); b = Add(a, r); return c, b }}")
            .pass(unroll_loops() | simplify())
            .equivalent());
}
