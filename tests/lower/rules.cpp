#include <graft/lower/rules.hpp>

#include <set>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/lower/depthwise_conv.hpp>

using namespace graft;

TEST_CASE("rules to lower with are found by name") {
  const Registry<RuleView> rules = lower_rules();
  CHECK(rules.at(bn_to_depthwise_conv.name()).name() == bn_to_depthwise_conv.name());
  CHECK(rules.find("no-such-rule") == nullptr);
  for (const std::string_view name : rules.names()) CHECK(rules.at(name).name() == name);
}
