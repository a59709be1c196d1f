#include <graft/rewrite/read_behind.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;
using Catch::Contains;

TEST_CASE("nodes and bodies read behind a value, outputs of the graph do not") {
  Model model = graph(
      "x: f32[2]; c: bool[]; h = Neg(x); g = Exp(h); a = Abs(h); y = If(c) {then_branch={ return h }, else_branch={ e "
      "= Sin(h) }}; return y, a, g, h");
  Graph& main = model.graph();
  read_behind(*main.find("h"), *main.find("g"));
  CHECK(isomorphic(graph("x: f32[2]; c: bool[]; h = Neg(x); g = Exp(h); a = Abs(g); y = If(c) {then_branch={ return g "
                         "}, else_branch={ e = Sin(g) }}; return y, a, g, h"),
                   model));
  CHECK_THROWS_WITH(read_behind(*main.find("x"), *main.find("a")), Contains("x") && Contains("cycle"));
}
