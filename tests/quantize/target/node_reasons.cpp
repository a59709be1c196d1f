#include <graft/quantize/target/node_reasons.hpp>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("a node without a name gets one when it is added, and is held by it", "[quantize]") {
  Net net;
  const Model model = net.build({&net.conv(*net.x, "y")});
  Node& node = node_making(model, "y");
  model.graph().rename(node, "");
  NodeReasons nodes;
  CHECK_FALSE(NodeReasons{{{"", "none"}}}.holds(node));
  CHECK(nodes.add(node, "why"));
  CHECK(node.name() == "Conv(y)");
  CHECK(nodes.holds(node));
  CHECK(nodes.reason(node) == "why");
  CHECK_FALSE(nodes.add(node, "another"));
  CHECK(nodes.reason(node) == "why");
}

TEST_CASE("facts about a node follow its name", "[quantize]") {
  NodeReasons nodes{{{"a", "why"}}};
  nodes.rename_node("a", "b");
  CHECK_FALSE(nodes.reasons.contains("a"));
  nodes.copy_node("b", "c");
  nodes.copy_node("x", "y");
  CHECK(nodes.reasons.at("b") == "why");
  CHECK(nodes.reasons.at("c") == "why");
  CHECK(nodes.reasons.size() == 2);
}
