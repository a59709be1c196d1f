#include <graft/testing/trial.hpp>

#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

constexpr std::string_view twice = "x: f32[2]; y = Relu(Relu(x))";

Trial edit(std::string_view text, std::function<void(Graph&)> change) {
  return given(text).pass([change = std::move(change)](Graph& graph, Context&) { change(graph); });
}
bool says(const TestResult& result, std::string_view part) {
  return !result && result.message().find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("becomes() holds the result against what is expected, and shows both") {
  const TestResult other = given(twice).rule(relu_relu).becomes("x: f32[2]; y = Abs(x)");
  CHECK(says(other, "output 0 of the graph is '%y = Relu(%x) : f32[2]' in the result"));
  CHECK(says(other, "given graph graph(%x : f32[2])"));
  CHECK(says(other, "relu-relu makes of it graph"));
  CHECK(says(given("x: f32[2]; y = Relu(x)").rule(relu_relu).becomes("x: f32[2]; y = Abs(x)"),
             "nothing was changed: Relu 'y': input 0"));
  CHECK(given("x: f32[2]; y = Relu(x)").rule(relu_relu).becomes("x: f32[2]; y = Relu(x)"));
}

TEST_CASE("refuses() needs a reason, a graph that stays as it was, and something to refuse") {
  constexpr std::string_view tapped = "x: f32[2]; h = Relu(x); y = Relu(h); return y, h";
  CHECK(given(tapped).rule(relu_relu).refuses("is a graph output"));
  CHECK(given(tapped).rule(relu_relu).refuses());
  CHECK(says(given(tapped).rule(relu_relu).refuses("axis"), "no reason contains 'axis': Relu 'h'"));
  CHECK(says(given(twice).rule(relu_relu).refuses(), "it was not refused"));
  CHECK(says(given("x: f32[2]; y = Abs(x)").rule(relu_relu).refuses(), "nothing was tried"));
}

TEST_CASE("an Error is a refusal if the graph stays as it was") {
  CHECK(edit(twice, [](Graph&) { throw Error("there are no ranges"); }).refuses("no ranges"));
  CHECK(says(edit(twice, [](Graph&) { throw Error("there are no ranges"); }).equivalent(),
             "there are no ranges"));
  CHECK(says(edit(twice,
                  [](Graph& graph) {
                    graph.set_op(*graph.first_node(), "Abs");
                    throw Error("half way");
                  })
                 .refuses(),
             "it was not refused"));
}

TEST_CASE("a pass that reports no change must not make one") {
  const auto liar = pass("liar", [](Graph& graph, Context&) {
    graph.set_op(*graph.first_node(), "Abs");
    return Report{};
  });
  CHECK(says(given(twice).pass(liar).refuses(), "reports no change, and has made some"));
  CHECK(says(given(twice).pass(liar).becomes("x: f32[2]; y = Relu(Abs(x))"), "reports no change, and has made some"));
}

TEST_CASE("equivalent() needs a change, and the same outputs") {
  CHECK(given(twice).rule(relu_relu).equivalent());
  CHECK(says(given(twice).rule(relu_to_neg).equivalent(), "output %y is "));
  CHECK(says(given("x: f32[2]; y = Relu(x)").rule(relu_relu).equivalent(), "nothing was changed: Relu 'y': input 0"));
}

TEST_CASE("idempotent() runs twice") {
  CHECK(given(twice).rule(relu_relu).idempotent());
  CHECK(
      says(edit(twice,
                [](Graph& graph) { graph.set_op(*graph.first_node(), graph.first_node()->is("Abs") ? "Neg" : "Abs"); })
               .idempotent(),
           "a second run changes the graph again"));
  const auto liar = pass("liar", [](Graph& graph, Context&) {
    Report report;
    report.changes = graph.nodes().size() < 4 ? 1 : 0;
    graph.set_op(*graph.first_node(), graph.first_node()->is("Abs") ? "Neg" : "Abs");
    return report;
  });
  CHECK_FALSE(given(twice).pass(liar).idempotent());
}

TEST_CASE("what does not come to an end is reported") {
  const auto endless = pass("endless", [](Graph&, Context&) {
    Report report;
    report.outcome = Outcome::oscillates;
    report.changes = 7;
    return report;
  });
  CHECK(says(given(twice).pass(endless).converges(), "'endless' does not converge: oscillates after 7 changes"));
  CHECK(says(given(twice).pass(endless).equivalent(), "does not converge"));
  static constexpr auto there = rule<"there">(
      op<"Abs">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Neg", {&m[x]}); });
  static constexpr auto back = rule<"back">(
      op<"Neg">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Abs", {&m[x]}); });
  CHECK(says(given("x: f32[2]; y = Abs(x)").pass(fixpoint(there, back)).converges(), "oscillates"));
}

TEST_CASE("the signature stays, unless the trial says otherwise") {
  const auto rename = [](Graph& graph) { graph.rename(*graph.output(0), "z"); };
  CHECK(says(edit(twice, rename).becomes("x: f32[2]; y = Relu(Relu(x))"), "the outputs are %z, were %y"));
  CHECK(edit(twice, rename).changes_signature().becomes("x: f32[2]; y = Relu(Relu(x))"));
  CHECK(says(edit("x: f32[2]; z: f32[2]; y = Relu(x)", [](Graph& graph) { graph.remove_input(*graph.inputs()[1]); })
                 .equivalent(),
             "the inputs are %x, were %x, %z"));
}

TEST_CASE("operators must be of the opset") {
  CHECK(says(
      edit("opset 13; x: f32[2]; y = Relu(x)", [](Graph& graph) { graph.set_op(*graph.first_node(), "HardSwish"); })
          .equivalent(),
      "HardSwish is not an operator of opset 13"));
  CHECK(says(edit(twice, [](Graph& graph) { graph.set_op(*graph.first_node(), "nowhere::Relu"); }).equivalent(),
             "is not imported"));
  CHECK(says(edit(twice,
                  [](Graph& graph) {
                    graph.set_attribute(*graph.first_node(), {"alpha", 1});
                  })
                 .equivalent(),
             "has the attribute 'alpha'"));
  CHECK(says(edit("x: f32[2]; y = Relu(Add(x, x))", [](Graph& graph) { graph.resize_inputs(*graph.first_node(), 1); })
                 .equivalent(),
             "takes no 1 inputs"));
  CHECK(says(edit("x: f32[2]; y = Relu(Add(x, x))",
                  [](Graph& graph) {
                    graph.declare_type(*graph.first_node()->output(0), tensor_type(DType::f32, Shape(Dims{3})));
                  })
                 .equivalent(),
             "declared"));
  // What was odd before is not a fault of the pass.
  CHECK(edit("opset 13; x: f32[2]; y = HardSwish(x)", [](Graph& graph) {
          graph.set_op(*graph.first_node(), "Relu");
        }).becomes("opset 13; x: f32[2]; y = Relu(x)"));
}

TEST_CASE("node names stay distinct") {
  CHECK(says(edit(twice, [](Graph& graph) { graph.rename(*graph.first_node(), "y"); }).equivalent(),
             "has the name of another node"));
}

TEST_CASE("tidy() finds what is left behind") {
  CHECK(given(twice).rule(relu_relu).tidy());
  CHECK(says(edit(twice, [](Graph& graph) { graph.insert("Abs", {graph.inputs()[0]}); }).tidy(),
             "leaves behind a node without effect"));
  CHECK(says(edit(twice, [](Graph& graph) { graph.add_initializer(Tensor::scalar(1.0f), "w"); }).tidy(),
             "an initializer without use"));
  CHECK(edit("x: f32[2]; w = f32[2] 1; h = Abs(x); y = Relu(x); return y", [](Graph& graph) {
          graph.set_op(*graph.last_node(), "Neg");
        }).tidy());
}
