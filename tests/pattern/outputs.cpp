#include <graft/pattern/outputs.hpp>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("outputs lists what replaces each output") {
  constexpr auto p = outputs(op<"Relu">(x), none, y);
  CHECK(p.nodes[0].step == Step::outputs);
  CHECK(p.nodes[0].operand_count == 3);
  CHECK(p.nodes[1].operand == 0);
  CHECK(p.nodes[3].step == Step::none);
  CHECK(p.nodes[3].operand == 1);
  CHECK(p.nodes[4].operand == 2);
}
