#include <graft/quantize/kernel/outcome.hpp>

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;
using Texts = std::vector<std::pair<std::string, std::string>>;

namespace {

/// A range for every tensor of the tests.
Pass inject(Placement placement) {
  Ranges ranges;
  for (const char* const name : {"x", "y", "z"}) ranges.set(name, {-3, 5});
  return inject_qdq(ranges, targets::ort_cpu_x64, placement);
}

Texts texts(const Context& context) {
  Texts found;
  for (const auto& [key, outcome] : context.facts.find<FloatOutcomes>()->by_node) {
    CHECK(key.first == outcome.node);
    CHECK(outcome.form == OperatorForm::in_float);
    found.emplace_back(outcome.node, std::string(outcome.code) + ": " + outcome.text);
  }
  return found;
}

}  // namespace

TEST_CASE("an outcome reads as a sentence", "[quantize]") {
  OperatorOutcome outcome{.node = "conv1", .op = "Conv", .form = OperatorForm::integers};
  CHECK(outcome.fused());
  CHECK(to_string(outcome) == "conv1 (Conv): fused");
  outcome.float_result = true;
  CHECK(to_string(outcome) == "conv1 (Conv): fused, with a float result");
  outcome = {.node = "conv1",
             .op = "Conv",
             .form = OperatorForm::in_float,
             .severity = Severity::warning,
             .code = "several_users",
             .text = "'y' has 2 users",
             .remedy = "share a pair"};
  CHECK(to_string(outcome) == "conv1 (Conv): not fused: 'y' has 2 users; share a pair");
  CHECK(outcome.note() == "'conv1' stays in float: 'y' has 2 users");
  outcome.severity = Severity::error;
  outcome.form = OperatorForm::integers;
  CHECK(to_string(outcome) == "conv1 (Conv): fused, error: 'y' has 2 users; share a pair");
  CHECK(to_string(OperatorForm::weight_only) == "weight-only");
  CHECK(to_string(OperatorForm::within) == "within another kernel");
  CHECK(to_string(OperatorOutcome{.node = "r", .op = "Relu", .form = OperatorForm::within, .within = "conv1"}) ==
        "r (Relu): within 'conv1'");
  CHECK(to_string(Severity::warning) == "warning");
}

TEST_CASE("an outcome names its node by scope and name", "[quantize]") {
  const Model model = graph(
      "x: f32[4]; c: bool; y = Relu(x); z = If(c) {then_branch={t = Neg(x); return t}, "
      "else_branch={e = Abs(x); return e}}; return y, z");
  CHECK(OperatorOutcome::of(first(model.graph(), "Relu"), OperatorForm::in_float).scope.empty());
  std::vector<std::string> scopes;
  for (const Graph* const scope : model.scopes()) scopes.push_back(scope_name(*scope));
  REQUIRE(scopes.size() == 3);
  CHECK(scopes[0].empty());
  CHECK(scopes[1] != scopes[2]);
  for (const std::size_t body : {1u, 2u}) CHECK(scopes[body].find(display_name(first(model.graph(), "If"))) == 0);
}

TEST_CASE("placement says of each node that it left in float why", "[quantize]") {
  Net net;
  Value& nameless = net.op("Conv", {net.x, &net.builder.input("v", DType::f32, {2, 2, 1, 1})}, "y");
  Model model = net.build({&net.conv(nameless, "z")});
  model.graph().rename(node_making(model, "y"), "");
  Context context;
  exclude_nodes({NamePattern("z_node")}).run(model, context);
  inject(Placement::conv_only).run(model, context);
  CHECK(texts(context) == Texts{{"Conv(y)", "weight_not_constant: its weight is not constant"},
                                {"z_node", "kept_in_float: it is excluded by name"}});

  context.facts.edit<KeptInFloat>()->reasons.clear();
  inject(Placement::conv_only).run(model, context);
  CHECK(texts(context) == Texts{{"Conv(y)", "weight_not_constant: its weight is not constant"}});
}

TEST_CASE("outcomes follow the names of nodes", "[quantize]") {
  Net net;
  const Model model = net.build({&net.conv(net.conv(*net.x), "z")});
  FloatOutcomes outcomes;
  outcomes.add(node_making(model, "y"), "a", "why");
  outcomes.add(node_making(model, "z"), "b", "because");
  Facts facts;
  facts.provide(outcomes);
  facts.node_renamed("y_node", "c");
  facts.node_renamed("elsewhere", "d");
  const FloatOutcomes& found = *facts.find<FloatOutcomes>();
  CHECK(found.size() == 2);
  REQUIRE(found.find("c") != nullptr);
  CHECK(found.find("c")->text == "why");
  CHECK(found.find("c")->node == "c");
  CHECK(found.find("y_node") == nullptr);
  CHECK(found.find(node_making(model, "z"))->code == "b");
}

TEST_CASE("a product that the target has no kernel for says so", "[quantize]") {
  Model model = graph("x: f32[2,2]; w = f32[2,2] 1; y = MatMul(x, w)");
  QuantizeResult result;
  detail::collect_outcomes({.products = detail::products_by_constants(model.graph())}, Facts(), result);
  REQUIRE(result.outcomes.size() == 1);
  CHECK(result.outcomes[0].code == "no_kernel");
  CHECK(result.outcomes[0].text == "the target does not compute it in integers");
  CHECK_FALSE(result.outcomes[0].is_kept);
}

TEST_CASE("a note of placement replaces warnings of the audit, and no errors", "[quantize]") {
  Model model = graph("x: f32[2]; y = Relu(x); z = Relu(y); a = Neg(z)");
  FloatOutcomes in_float;
  QuantizeResult result;
  for (Node& node : model.graph().nodes()) {
    if (!node.is("Relu")) continue;
    in_float.add(node, "slower", "it is slower in integers");
    OperatorOutcome found = OperatorOutcome::of(node, OperatorForm::refused);
    found.code = "near_redundant";
    found.severity = result.audit.findings.empty() ? Severity::error : Severity::warning;
    result.audit.findings.push_back(found);
  }
  OperatorOutcome inside = OperatorOutcome::of(first(model.graph(), "Neg"), OperatorForm::within);
  in_float.add(first(model.graph(), "Neg"), "slower", "it is slower in integers");
  result.audit.within.push_back(inside);
  Facts facts;
  facts.provide(in_float);
  detail::collect_outcomes({}, facts, result);
  REQUIRE(result.outcomes.size() == 3);
  CHECK(result.outcomes[0].code == "near_redundant");
  CHECK(result.outcomes[1].code == "slower");
  CHECK(result.outcomes[1].is_kept);
  CHECK(result.outcomes[2].form == OperatorForm::within);
  CHECK_FALSE(result.outcomes[2].is_kept);
  for (const std::size_t i : {0u, 1u}) CHECK(result.audit.findings[i].code == result.outcomes[i].code);
}
