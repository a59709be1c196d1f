#include <graft/quantize/target/kept_in_float.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("a node that is kept in float is not quantizable", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x, "y");
  const Model model = net.build({&net.conv(y, "z")});
  const KeptInFloat kept{{{{"y_node", "it sounds better"}}}};
  const Target& target = targets::ort_cpu_x64;
  const Verdict verdict = quantizable(node_making(model, "y"), target, kept);
  CHECK_FALSE(verdict);
  CHECK(verdict.reason().text == "it sounds better");
  CHECK(kept.reason(node_making(model, "y")) == "it sounds better");
  CHECK(quantizable(node_making(model, "z"), target, kept));
}

TEST_CASE("nothing is kept in float unless the facts say so", "[quantize]") {
  Facts facts;
  CHECK(facts.value_or_default<KeptInFloat>().reasons.empty());
  facts.provide(KeptInFloat{{{{"a", "why"}}}});
  CHECK(facts.value_or_default<KeptInFloat>().reasons.at("a") == "why");
}
