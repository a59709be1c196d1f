#include <graft/rewrite/pass.hpp>

#include <memory>
#include <utility>

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
    if (rw.accept()) ++report.changes;
    return report;
  }
  std::vector<Need> needs() const { return {needs_fact<Count>()}; }
  std::vector<Provision> provides() const { return {provides_opset(13)}; }
  Preserved preserved() const { return Preserved::of<Count>(); }
};

Model tanh() {
  Small m;
  return m.finish(m.op("Tanh", {&m.in}));
}

}  // namespace

TEST_CASE("anything with a name that runs is a pass") {
  Model model = tanh();
  Context context;
  context.facts.provide(Count{1});
  const Pass append = AppendRelu();
  CHECK(append.name() == "append-relu");
  const Report report = append.run(model, context);
  CHECK(report.pass == "append-relu");
  CHECK(report.changes == 1);
  CHECK(report.nodes_before == 1);
  CHECK(report.nodes_after == 2);
  CHECK(ops(model.graph()) == "Tanh Relu");
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(append.provides().size() == 1);
}

TEST_CASE("a pass whose needs are not met throws before it runs") {
  Model model = tanh();
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(Pass(AppendRelu()).run(model),
                    "pass 'append-relu': needs a number, which no earlier pass provided; run count first");
  CHECK(model.serialize() == before);
  CHECK_THROWS_WITH(pass("later", [](Graph&, Context&) {}).needs(needs_opset(20)).run(model),
                    "pass 'later': needs opset 20, which no earlier pass provided; run raise_opset first");
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

TEST_CASE("a function around a pass keeps its name, its needs and what it provides") {
  Model model = tanh();
  const Pass wrapped = around(AppendRelu(), [](const Pass& given, Graph& graph, Context& context) {
    Report report = given.run(graph, context);
    report.notes.push_back("ran " + given.name());
    return report;
  });
  CHECK(wrapped.name() == "append-relu");
  CHECK(wrapped.provides().size() == 1);
  CHECK_THROWS_WITH(wrapped.run(model), Catch::Contains("pass 'append-relu': needs a number"));
  const Pass provide_number =
      pass("count", [](Graph&, Context& context) { context.facts.provide(Count{1}); }).provides<Count>();
  const Report report = (provide_number | wrapped).run(model);
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

namespace {

/// Another fact.
struct Word {
  static constexpr std::string_view fact_name = "a word";

  std::string text{};
};

/// A fact that no change makes untrue.
struct Wish {
  static constexpr std::string_view fact_name = "a wish";
  static constexpr bool is_decision = true;
};

const Pass provide_number =
    pass("count", [](Graph&, Context& context) { context.facts.provide(Count{1}); }).provides<Count>();
const Pass use = pass("use", [](Graph&, Context&) {}).needs<Count>();

Pass append_relu() {
  return pass("append", [](Graph& graph, Context& context) {
    Rewriter rw(graph, context);
    rw.at_end(graph);
    rw.insert_after(*graph.output(0), "Relu");
    static_cast<void>(rw.accept());
  });
}

}  // namespace

TEST_CASE("a pass that changes the graph drops the facts that it does not preserve") {
  Model model = tanh();
  Context context;
  const auto known = [&](const Pass& pass) {
    context.facts.provide(Count{1});
    context.facts.provide(Word{"one"});
    context.facts.provide(Wish());
    pass.run(model, context);
    CHECK(context.facts.find<Wish>() != nullptr);
    return std::string(context.facts.find<Count>() != nullptr ? "number " : "") +
           (context.facts.find<Word>() != nullptr ? "word" : "");
  };
  CHECK(known(append_relu()).empty());
  CHECK(known(append_relu().preserves<Count>()) == "number ");
  CHECK(known(append_relu().preserves<Count, Word>()) == "number word");
  CHECK(known(append_relu().preserves_all()) == "number word");
  CHECK(known(append_relu().preserves_all().preserves<>()).empty());
  CHECK(known(pass("quiet", [](Graph&, Context&) {})) == "number word");
  CHECK(known(append_relu() | provide_number) == "number ");
  CHECK(known(append_relu().preserves<Word>().named("other")) == "word");
  CHECK(known(fixpoint(pass("once", [first = std::make_shared<bool>(true)](Graph& graph, Context& at) {
          if (std::exchange(*first, false)) append_relu().run(graph, at);
        }))).empty());
}

TEST_CASE("inferred types and edits that are taken back change nothing that facts are about") {
  Model model = tanh();
  Context context;
  context.facts.provide(Count{1});
  pass("infer", [](Graph& graph, Context&) { infer_shapes(graph); }).run(model, context);
  CHECK(context.facts.find<Count>() != nullptr);
  pass("try", [](Graph& graph, Context&) {
    Transaction transaction(graph);
    graph.set_op(*graph.first_node(), "Relu");
  }).run(model, context);
  CHECK(ops(model.graph()) == "Tanh");
  CHECK(context.facts.find<Count>() != nullptr);
}

TEST_CASE("what a pass provides while it changes the graph stays") {
  Model model = tanh();
  Context context;
  context.facts.provide(Word{"one"});
  pass("both", [](Graph& graph, Context& at) {
    at.facts.provide(Count{2});
    append_relu().preserves_all().run(graph, at);
  }).run(model, context);
  CHECK(context.facts.find<Count>()->value == 2);
  CHECK(context.facts.find<Word>() == nullptr);
}

TEST_CASE("a pass that throws in the middle of its edits drops what it does not preserve") {
  Model model = tanh();
  Context context;
  context.facts.provide(Count{1});
  const Pass fails = pass("fails", [](Graph& graph, Context&) {
    graph.set_op(*graph.first_node(), "Relu");
    throw Error("no");
  });
  CHECK_THROWS_AS(fails.run(model, context), Error);
  CHECK(context.facts.find<Count>() == nullptr);
}

TEST_CASE("rules preserve facts, as the tensors that stay keep their values") {
  Small m;
  Model model = m.finish(m.op("Relu", {&m.op("Relu", {&m.op("Relu", {&m.in})})}));
  Context context;
  context.facts.provide(Count{1});
  CHECK(fixpoint(relu_relu).run(model, context).changes == 2);
  CHECK(context.facts.find<Count>() != nullptr);
  Small more;
  Model other = more.finish(more.op("Relu", {&more.op("Relu", {&more.in})}));
  const Pass often = committing(fixpoint(relu_relu));
  CHECK(often.name() == "committing(fixpoint(relu-relu))");
  CHECK(often.run(other, context).changes == 1);
  CHECK(context.facts.find<Count>() != nullptr);
}

TEST_CASE("who misses a fact says which pass dropped it") {
  Model model = tanh();
  CHECK_THROWS_WITH((provide_number | append_relu() | use).run(model),
                    "pass 'use': needs a number, which 'append' dropped when it changed the graph; run "
                    "count after it");
  CHECK_NOTHROW((provide_number | append_relu() | provide_number | use).run(model));
}

TEST_CASE("who misses a fact says which pass promised it") {
  Model model = tanh();
  const Pass promise = pass("promise", [](Graph&, Context&) {}).provides<Count>();
  CHECK_THROWS_WITH((promise | use).run(model),
                    "pass 'use': needs a number, which 'promise' declares but did not provide");
}

TEST_CASE("an Error names the pass that it came from") {
  Model model = tanh();
  const Pass broken = pass("broken", [](Graph&, Context&) { throw Error("no luck").node("n"); });
  CHECK_THROWS_WITH((provide_number | fixpoint(broken)).run(model), "pass 'broken': node 'n': no luck");
}
