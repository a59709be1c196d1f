#include <graft/simplify/rules.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("rules are found by name") {
  CHECK(simplify_rules().at("bn-into-conv").name() == "bn-into-conv");
  CHECK(simplify_rules().find("no-such-rule") == nullptr);
}
