#include <graft/rewrite/report.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a report takes in its steps") {
  Report step;
  step.pass = "inner";
  step.changes = 2;
  step.rules.push_back({"a", 5, 2, 1});
  Report report;
  report.add(step);
  CHECK(report.converged());
  step.outcome = Outcome::oscillates;
  step.oscillates = {"a", "b"};
  report.add(step);
  step.outcome = Outcome::budget;
  step.oscillates.clear();
  report.add(step);
  CHECK(report.changes == 6);
  CHECK(report.outcome == Outcome::oscillates);
  CHECK(report.oscillates == std::vector<std::string>{"a", "b"});
  CHECK(report.rule("a").tried == 15);
  CHECK(report.rule("a").applied == 6);
  CHECK(report.rule("a").declined == 3);
  CHECK(report.rule("b").tried == 0);
}

TEST_CASE("a refusal holds the sentence and the code of its reason") {
  Report report;
  report.refuse("a", "Relu 'r'", {.text = "it has {} users", .code = "users", .numbers = {2}, .number_count = 1});
  REQUIRE(report.refusals.size() == 1);
  CHECK(report.refusals[0].rule == "a");
  CHECK(report.refusals[0].node == "Relu 'r'");
  CHECK(report.refusals[0].why == "it has 2 users");
  CHECK(report.refusals[0].code == "users");
}

TEST_CASE("a report prints itself, its steps below it") {
  Report step;
  step.pass = "fixpoint(a, b)";
  step.changes = 1;
  step.nodes_before = 4;
  step.nodes_after = 3;
  step.seconds = 0.0126;
  step.rules = {{"a", 5, 1, 2}, {"b", 5, 0, 0}};
  step.notes = {"a note"};
  step.warnings = {"a warning"};
  step.refusals = {{"b", "Relu 'r'", "the root is something else"}};
  Report report;
  report.pass = "all";
  report.nodes_before = 4;
  report.nodes_after = 3;
  report.add(step);
  report.outcome = Outcome::oscillates;
  report.oscillates = {"a", "b"};
  CHECK(to_string(report) ==
        "all: oscillates(a, b), 1 change, 4 -> 3 nodes, 0.000 s\n"
        "  fixpoint(a, b): converged, 1 change, 4 -> 3 nodes, 0.013 s\n"
        "    a: applied 1, declined 2\n"
        "    a note\n"
        "    warning: a warning\n"
        "    b left Relu 'r': the root is something else\n");
}

TEST_CASE("a report is found by the name of its step") {
  Report inner, outer, all;
  inner.pass = "inner";
  inner.changes = 2;
  outer.pass = "outer";
  outer.add(inner);
  all.add(outer);
  REQUIRE(all.step("outer") != nullptr);
  REQUIRE(all.step("inner") != nullptr);
  CHECK(all.step("inner")->changes == 2);
  CHECK(all.step("none") == nullptr);
}

TEST_CASE("a refusal keeps the sentence and the code of its reason") {
  Report report;
  const Reason reason{.text = "it is number {}", .code = "last", .numbers = {3}, .number_count = 1};
  report.refuse("last-relu", "Relu 'r'", reason);
  REQUIRE(report.refusals.size() == 1);
  CHECK(report.refusals[0].rule == "last-relu");
  CHECK(report.refusals[0].node == "Relu 'r'");
  CHECK(report.refusals[0].why == "it is number 3");
  CHECK(report.refusals[0].code == "last");
}
