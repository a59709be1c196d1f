#include <graft/rewrite/facts.hpp>

#include <string>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("there is one fact of each type") {
  Facts facts;
  CHECK(facts.find<int>() == nullptr);
  facts.provide(3);
  facts.provide(std::string("three"));
  CHECK(*facts.find<int>() == 3);
  CHECK(*facts.find<std::string>() == "three");
  facts.provide(4);
  ++*facts.find<int>();
  CHECK(*std::as_const(facts).find<int>() == 5);
  facts.withdraw<int>();
  CHECK(facts.find<int>() == nullptr);
  CHECK(facts.find<std::string>() != nullptr);
}
