#include <graft/quantize/place/in_float.hpp>

#include <functional>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

using namespace graft;
using Reasons = std::map<std::string, std::string, std::less<>>;

namespace {

/// A range for every tensor of the tests.
Pass inject(Placement placement) {
  Ranges ranges;
  for (const char* const name : {"x", "y", "z"}) ranges.set(name, {-3, 5});
  return inject_qdq(ranges, targets::ort_cpu_x64, placement);
}

}  // namespace

TEST_CASE("placement says of each node that it left in float why", "[quantize]") {
  Net net;
  Value& nameless = net.op("Conv", {net.x, &net.builder.input("v", DType::f32, {2, 2, 1, 1})}, "y");
  Model model = net.build({&net.conv(nameless, "z")});
  model.graph().rename(node_making(model, "y"), "");
  Context context;
  exclude_nodes({NamePattern("z_node")}).run(model, context);
  inject(Placement::conv_only).run(model, context);
  REQUIRE(context.facts.find<InFloat>() != nullptr);
  CHECK(context.facts.find<InFloat>()->reasons ==
        Reasons{{"Conv(y)", "its weight or bias is not constant"}, {"z_node", "it is excluded by name"}});

  context.facts.edit<KeptInFloat>()->reasons.clear();
  inject(Placement::conv_only).run(model, context);
  CHECK(context.facts.find<InFloat>()->reasons == Reasons{{"Conv(y)", "its weight or bias is not constant"}});
}

TEST_CASE("reasons follow the names of nodes", "[quantize]") {
  Facts facts;
  facts.provide(InFloat{{{"a", "why"}, {"b", "because"}}});
  facts.node_renamed("a", "c");
  facts.node_renamed("elsewhere", "d");
  CHECK(facts.find<InFloat>()->reasons == Reasons{{"b", "because"}, {"c", "why"}});
}
