#include <graft/surgery/reorder_inputs.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("the new input k is the old one permutation[k]", "[reorder_inputs]") {
  Model model = graph("a: f32[1]; b: f32[2]; c: f32[3] = 1; y = Concat(a, b, c) {axis=0}");
  CHECK(reorder_inputs({2, 0, 1}).run(model).changes == 3);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("c: f32[3] = 1; a: f32[1]; b: f32[2]; y = Concat(a, b, c) {axis=0}"), model));
  CHECK(reorder_inputs({0, 1, 2}).run(model).changes == 0);
}

TEST_CASE("anything but a permutation of the inputs is an error", "[reorder_inputs]") {
  const char* const text = "a: f32[1]; b: f32[1]; y = Add(a, b)";
  CHECK_THAT(refusal(graph(text), reorder_inputs({0})), Contains("has 1 elements; the graph has 2 inputs"));
  CHECK_THAT(refusal(graph(text), reorder_inputs({0, 0})), Contains("twice"));
  CHECK_THAT(refusal(graph(text), reorder_inputs({0, 2})), Contains("out of range"));
}
