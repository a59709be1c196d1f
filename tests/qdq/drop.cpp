#include <graft/qdq/drop.hpp>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a value that nobody reads is dropped with what only it was made of") {
  Model model = graph(
      "x: f32[2]; c = f32[2] {1, 2}; s = f32[] 0.5; k = f32[] 3; y = Add(x, k);"
      "q = QuantizeLinear(c, s); d = DequantizeLinear(q, s); i = Identity(d); z = Mul(y, s); return y, z");
  Graph& g = model.graph();
  detail::drop_unused(g.find("i"));
  for (const char* name : {"i", "d", "q", "c"}) CHECK(g.find(name) == nullptr);
  CHECK(g.find("s") != nullptr);  // z reads it
  CHECK(g.find("k") != nullptr);
}

TEST_CASE("what is read, or computed by another operator, stays") {
  Model model = graph("x: f32[2]; c = f32[2] {1, 2}; n = Neg(c); a = Add(x, c); return a");
  Graph& g = model.graph();
  detail::drop_unused(g.find("c"));
  detail::drop_unused(g.find("n"));
  detail::drop_unused(nullptr);
  CHECK(g.find("c") != nullptr);
  CHECK(g.find("n") != nullptr);
}
