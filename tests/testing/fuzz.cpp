#include <graft/testing/fuzz.hpp>

#include <catch2/catch.hpp>
#include <graft/rewrite/rule.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

constexpr auto fuzzed = val<"fuzzed">;

// Wrong, each in one respect.
constexpr auto forgets_relu = rule<"forgets-relu">(op<"Relu">(fuzzed), op<"Identity">(fuzzed));
constexpr auto forgets_order =
    rule<"forgets-order">(op<"Transpose">(fuzzed).with(any_attributes), op<"Transpose">(fuzzed));
// Each is right, and of what both look for each makes something else.
constexpr auto to_relu = rule<"to-relu">(op<"Abs">(op<"Relu">(fuzzed)), op<"Relu">(fuzzed));
constexpr auto to_max = rule<"to-max">(op<"Abs">(op<"Relu">(fuzzed)), op<"Max">(op<"Relu">(fuzzed)));

}  // namespace

TEST_CASE("a rule that keeps values holds, and is applied") {
  const FuzzReport report = fuzz(relu_relu, {.count = 40});
  INFO(report);
  CHECK(report);
  CHECK(report.graphs == 40);
  CHECK(report.changed > 20);
  CHECK(report.applied.at("relu-relu") >= report.changed);
}

TEST_CASE("a wrong rule is found, shown on a small graph, and found again by its seed") {
  const FuzzOptions options{.seed = 3, .count = 40, .failures = 2};
  const FuzzReport report = fuzz(forgets_relu, options);
  CHECK_FALSE(report);
  REQUIRE(report.failures.size() == 2);
  const FuzzFinding& first = report.failures.front();
  CHECK(first.why.find("with set") == 0);
  CHECK(first.model.graph().node_size() <= 2);
  CHECK(report.message().find("random_graph(" + std::to_string(first.seed)) != std::string::npos);

  Vocabulary vocabulary;
  vocabulary.patterns = {forgets_relu.view()};
  const Model again = random_graph(first.seed, first.nodes, vocabulary);
  CHECK_FALSE(given(again).pass(fixpoint(forgets_relu)).equivalent());
  CHECK(fuzz(forgets_relu, options).failures.front().text == first.text);
}

TEST_CASE("a pass that breaks a contract is found") {
  const auto why = [](const Pass& pass) {
    const FuzzReport report = fuzz(pass, {.count = 20, .failures = 1});
    return report.failures.empty() ? std::string() : report.failures.front().why;
  };
  CHECK(why(pass("throws", [](Graph&, Context&) { throw Error("out of order"); })).find("out of order") !=
        std::string::npos);
  CHECK(why(pass("adds", [](Graph& graph, Context&) { graph.add_output(*graph.inputs()[0]); }))
            .find("the outputs are") == 0);
  CHECK(why(pass("litters", [](Graph& graph, Context&) { graph.insert("Abs", {graph.inputs()[0]}); }))
            .find("it leaves behind a node without effect") == 0);
  CHECK(why(pass("retypes", [](Graph& graph, Context&) {
          graph.declare_type(*graph.output(0), tensor_type(DType::string, graph.output(0)->shape()));
        })).find(" is string[") != std::string::npos);
  CHECK(why(pass("grows", [](Graph& graph, Context&) {
          Node& node = *graph.last_node();
          Value& again = *graph.insert("Identity", {node.output(0)}).output(0);
          graph.set_output(0, again);
        })) != "");
}

TEST_CASE("rules of which the order matters are reported, and do not fail") {
  const FuzzReport report = fuzz(std::vector<RuleView>{to_relu.view(), to_max.view()}, {.count = 20});
  INFO(report);
  CHECK(report);
  CHECK(report.orders > 5);
  REQUIRE_FALSE(report.order_examples.empty());
  CHECK(report.order_examples.front().model.graph().node_size() == 2);
}

TEST_CASE("what a rule declares to change is not compared") {
  constexpr auto x_or_more = val<"x_or_more">;
  static constexpr auto declared =
      rule<"declared">(op<"Relu">(x_or_more), op<"Identity">(x_or_more)).changes_values("what is below 0");
  CHECK(fuzz(declared, {.count = 20}));
}

TEST_CASE("an attribute that is dropped is found") {
  const FuzzReport report = fuzz(forgets_order, {.count = 40, .sweep = true, .failures = 1});
  CHECK_FALSE(report);
}
