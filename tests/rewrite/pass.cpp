#include <graft/rewrite/pass.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

/// A pass as a user writes one.
struct AppendRelu {
  std::string_view name() const { return "append-relu"; }
  Report run(Graph& graph, Context& context) const {
    Rewriter rw(graph, context);
    rw.at_end(graph);
    rw.insert_after(*graph.output(0), "Relu");
    Report report;
    if (rw.commit()) ++report.changes;
    return report;
  }
  std::vector<Need> needs() const { return {needs_fact<int>("a number", "count")}; }
  std::vector<Made> makes() const { return {{"a relu", 0}}; }
};

Model tanh() {
  Small m;
  return m.finish(m.op("Tanh", {&m.in}));
}

}  // namespace

TEST_CASE("anything with a name that runs is a pass") {
  Model model = tanh();
  Context context;
  context.facts.provide(1);
  const Pass append = AppendRelu();
  CHECK(append.name() == "append-relu");
  const Report report = append.run(model, context);
  CHECK(report.pass == "append-relu");
  CHECK(report.changes == 1);
  CHECK(report.nodes_before == 1);
  CHECK(report.nodes_after == 2);
  CHECK(ops(model.graph()) == "Tanh Relu");
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(append.makes().size() == 1);
}

TEST_CASE("a pass whose needs are not met throws before it runs") {
  Model model = tanh();
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(Pass(AppendRelu()).run(model),
                    "the pass 'append-relu' needs a number, which nothing in front of it makes; run count first");
  CHECK(model.serialize() == before);
  CHECK_THROWS_WITH(pass("later", [](Graph&, Context&) {}).needs(needs_opset(20)).run(model),
                    "the pass 'later' needs opset 20, which nothing in front of it makes; run raise_opset first");
}

TEST_CASE("a function is a pass") {
  Model model = tanh();
  SECTION("that reports") {
    const Pass counted = pass("counted", [](Graph&, Context&) {
      Report report;
      report.notes.emplace_back("seen");
      return report;
    });
    CHECK(counted.run(model).notes == std::vector<std::string>{"seen"});
    CHECK(counted.run(model).pass == "counted");
  }
  SECTION("whose edits are what it changes") {
    const Pass quiet = pass("quiet", [](Graph&, Context&) {});
    CHECK(quiet.run(model).changes == 0);
    const Pass renaming = pass("renaming", [](Graph& graph, Context&) { graph.rename(*graph.first_node(), "t"); });
    CHECK(renaming.run(model).changes > 0);
    CHECK(model.graph().first_node()->name() == "t");
  }
}

TEST_CASE("a function around a pass keeps its name, its needs and what it makes") {
  Model model = tanh();
  const Pass wrapped = around(AppendRelu(), [](const Pass& given, Graph& graph, Context& context) {
    Report report = given.run(graph, context);
    report.notes.push_back("ran " + given.name());
    return report;
  });
  CHECK(wrapped.name() == "append-relu");
  CHECK(wrapped.makes().size() == 1);
  CHECK_THROWS_WITH(wrapped.run(model), Catch::Contains("the pass 'append-relu' needs a number"));
  const Pass count = pass("count", [](Graph&, Context& context) { context.facts.provide(1); }).makes({"a number"});
  const Report report = (count | wrapped).run(model);
  CHECK(ops(model.graph()) == "Tanh Relu");
  CHECK(report.steps[1].notes == std::vector<std::string>{"ran append-relu"});
}

TEST_CASE("arguments are given for one run of a pass") {
  static constexpr auto depth = arg<"depth", int>;
  Model model = tanh();
  Context context;
  std::vector<int> seen;
  const Pass inner_pass = pass("inner", [&](Graph&, Context& at) { seen.push_back(at.argument(depth)); });
  const Pass outer = pass("outer", inner_pass, depth = 2);
  CHECK(outer.name() == "outer");
  CHECK(outer.run(model, context).pass == "outer");
  context.arguments = {depth = 1};
  inner_pass.run(model, context);
  outer.run(model, context);
  inner_pass.run(model, context);
  CHECK(seen == std::vector<int>{2, 1, 2, 1});
}

TEST_CASE("bodies and functions are counted among a graph's nodes") {
  Builder inside(17, "inside");
  inside.output(inside.op("Relu", {&inside.constant(floats({2}), "c")}), "t");
  const onnx::GraphProto branch = inside.build().proto().graph();
  Builder build(17);
  Value& flag = build.input("flag", DType::boolean, std::vector<Dim>{});
  build.output(build.op("If", {&flag}, {{"then_branch", branch}, {"else_branch", branch}}), "y");
  Model model = build.build();
  Context context;
  const Pass quiet = pass("quiet", [](Graph&, Context&) {});
  CHECK(quiet.run(model).nodes_before == 3);
  CHECK(quiet.run(*model.graph().first_node()->bodies()[0].graph, context).nodes_before == 1);
}
