#include <graft/rewrite/need.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a need is met by a fact, an opset, or what a pass provides") {
  Model model = Builder(15).build();
  Context context;
  const Need number = needs_fact<Count>();
  CHECK_FALSE(number.is_met(model.graph(), context));
  context.facts.provide(Count{1});
  CHECK(number.is_met(model.graph(), context));
  CHECK(needs_opset(15).is_met(model.graph(), context));
  CHECK_FALSE(needs_opset(16).is_met(model.graph(), context));
  CHECK(provides_opset(16).serves(needs_opset(16)));
  CHECK(provides_opset(17).serves(needs_opset(16)));
  CHECK_FALSE(provides_opset(15).serves(needs_opset(16)));
  CHECK_FALSE(provides_opset(17).serves(number));
  CHECK(provides_fact<Count>().serves(number));
  CHECK_FALSE(provides_fact<Count>().serves(needs_opset(1)));
  CHECK(to_string(needs_opset(16)) == "opset 16");
  CHECK(to_string(number) == "a number");
}
