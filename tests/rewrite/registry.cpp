#include <graft/rewrite/registry.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("passes and rules are looked up by name") {
  Registry<Pass> passes("pass");
  passes.add(pass("b", [](Graph&, Context&) {})).add("a", fixpoint(relu_relu));
  CHECK(passes.at("b").name() == "b");
  CHECK(passes.at("a").name() == "fixpoint(relu-relu)");
  CHECK(passes.names() == std::vector<std::string_view>{"a", "b"});
  CHECK(passes.find("c") == nullptr);
  CHECK_THROWS_WITH(passes.at("c"), "there is no pass 'c'; there are: a, b");
  Registry<int> sizes("size");
  CHECK_THROWS_WITH(sizes.add("large", 2).at("larg"),
                    "there is no size 'larg'; there are: large; did you mean 'large'?");
  CHECK_THROWS_WITH(passes.add("a", fixpoint(relu_relu)), "the pass 'a' is registered twice");

  Registry<RuleView> rules("rule");
  rules.add(relu_relu.view());
  CHECK(rules.at("relu-relu").name() == "relu-relu");
}
