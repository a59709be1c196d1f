#include <graft/pattern/bindings.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("bindings list the matched nodes, consumers first") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& relu = build.op("Relu", {&in});
  Value& neg = build.op("Neg", {&relu});
  const auto found = match(op<"Neg">(op<"Relu">(x)), neg);
  REQUIRE(found.nodes().size() == 2);
  CHECK(found.nodes()[0].node == neg.producer());
  CHECK(found.nodes()[1].node == relu.producer());
  CHECK(&found.root() == neg.producer());
  REQUIRE(found.roots().size() == 1);
}
