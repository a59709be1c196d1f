#include <graft/testing/shrink.hpp>

#include <algorithm>

#include <catch2/catch.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

bool has_exp(const Model& model) {
  const auto nodes = model.graph().nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.is("Exp"); });
}

}  // namespace

TEST_CASE("shrink leaves what the predicate needs") {
  const Model model = graph(
      "x: f32[2]; z: f32[3]; w = f32[2] 1; a = Add(Relu(x), w); b = Exp(a); c = Neg(b); d = Abs(z); return c, d");
  const Model small = shrink(model, has_exp);
  CHECK(isomorphic(small, graph("a: f32[2]; b = Exp(a)")));
}

TEST_CASE("shrink keeps a model that cannot be smaller, and asks for nothing invalid") {
  const Model model = graph("x: f32[2]; y = Exp(x)");
  CHECK(isomorphic(shrink(model, has_exp), model));
  const auto has_two_outputs = [](const Model& some) { return some.graph().output_count() == 2; };
  const Model both = shrink(graph("x: f32[2]; y = Exp(x); z = Neg(y); return y, z"), has_two_outputs);
  CHECK(both.graph().output_count() == 2);
}
