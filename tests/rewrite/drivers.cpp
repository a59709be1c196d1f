#include <graft/rewrite/drivers.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

inline constexpr auto matmul_add_to_gemm =
    rule<"matmul-add-to-gemm">(op<"Add">(op<"MatMul">(x, w), b), op<"Gemm">(x, w, b));
inline constexpr auto gemm_to_matmul_add =
    rule<"gemm-to-matmul-add">(op<"Gemm">(x, w, b), op<"Add">(op<"MatMul">(x, w), b));
inline constexpr auto neg_neg = rule<"neg-neg">(op<"Neg">(op<"Neg">(x)), x);
/// The two directions as functions, which the lint cannot see through.
inline constexpr auto sin_to_cos =
    rule<"sin-to-cos">(op<"Sin">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Cos", {&m[x]}); });
inline constexpr auto cos_to_sin =
    rule<"cos-to-sin">(op<"Cos">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Sin", {&m[x]}); });

}  // namespace

TEST_CASE("a fixpoint goes on until nothing is left to do") {
  Model model = chain_of("Relu", 100);
  const Report report = fixpoint(relu_relu).run(model);
  CHECK(report.converged());
  CHECK(report.pass == "fixpoint(relu-relu)");
  CHECK(report.changes == 99);
  CHECK(report.nodes_before == 100);
  CHECK(report.nodes_after == 1);
  CHECK(report.rules[0].applied == 99);
  CHECK(ops(model.graph()) == "Relu");
  CHECK(fixpoint(relu_relu).run(model).changes == 0);
}

TEST_CASE("only what an edit may matter to is tried again") {
  // Each node is tried once. Each rewrite makes one node before the next candidate, which is tried as such, and in the
  // next round the last of them remains.
  Model model = chain_of("Relu", 100);
  CHECK(fixpoint(relu_relu).run(model).rules[0].tried == 101);

  // Nothing beyond the two neighbours of a rewrite is looked at twice.
  Small m;
  Value* at = &m.in;
  for (int i = 0; i < 50; ++i) at = &m.op(i == 25 ? "Identity" : "Relu", {&m.op("Tanh", {at})});
  Model other = m.finish(*at);
  const Report report = fixpoint(no_identity, relu_relu).run(other);
  CHECK(report.rule("no-identity").tried == 1);
  CHECK(report.rule("relu-relu").tried == 49);
}

TEST_CASE("what is made possible further up is found again further down") {
  // Neg(Neg(x)) in front of the inner Relu keeps the outer one from matching until it is gone.
  static constexpr auto three =
      rule<"three">(op<"Relu">(op<"Tanh">(op<"Relu">(x))), op<"Relu">(x)).changes_values("much");
  Small m;
  Value& inmost = m.op("Relu", {&m.in});
  Value& twice = m.op("Identity", {&m.op("Identity", {&inmost})});
  Model model = m.finish(m.op("Relu", {&m.op("Tanh", {&twice})}));
  const Report report = fixpoint(three, no_identity).run(model);
  CHECK(report.converged());
  CHECK(ops(model.graph()) == "Relu");
}

TEST_CASE("an inner value that loses its other user is tried again") {
  Small m;
  Value& inmost = m.op("Relu", {&m.in});
  Value& outer = m.op("Relu", {&inmost});
  Value& spare = m.op("Sin", {&inmost});
  m.build.output(m.op("Add", {&outer, &spare}), "y");
  Model model = m.build.build();
  static constexpr auto drop_sin = rule<"drop-sin">(op<"Add">(x, op<"Sin">(y)), op<"Tanh">(x)).changes_values("much");
  const Report report = fixpoint(relu_relu, drop_sin).run(model);
  CHECK(report.changes == 2);
  CHECK(ops(model.graph()) == "Relu Tanh");
}

TEST_CASE("a further root that comes into being leads back to the first") {
  static constexpr auto pair =
      rule<"pair">(roots(op<"Sin">(x), op<"Cos">(x)), outputs(op<"Tanh">(x), op<"Erf">(x))).changes_values("much");
  static constexpr auto to_cos = rule<"to-cos">(op<"Abs">(x), op<"Cos">(x)).changes_values("much");
  Small m;
  m.build.output(m.op("Sin", {&m.in}), "s");
  m.build.output(m.op("Abs", {&m.in}), "c");
  Model model = m.build.build();
  CHECK(fixpoint(pair, to_cos).run(model).changes == 2);
  CHECK(ops(model.graph()) == "Tanh Erf");
}

TEST_CASE("at one node the first rule in their order goes") {
  static constexpr auto to_sin = rule<"to-sin">(op<"Neg">(x), op<"Sin">(x)).changes_values("much");
  static constexpr auto to_cos = rule<"to-cos">(op<"Neg">(x), op<"Cos">(x)).changes_values("much");
  Model first = chain_of("Neg", 1), second = chain_of("Neg", 1);
  sweep(to_sin, to_cos).run(first);
  CHECK(ops(first.graph()) == "Sin");
  sweep(to_cos, to_sin).run(second);
  CHECK(ops(second.graph()) == "Cos");
}

TEST_CASE("where the first rule is refused, the next one goes") {
  static constexpr auto gelu = rule<"gelu">(op<"Neg">(x), op<"Gelu">(x));
  static constexpr auto to_cos = rule<"to-cos">(op<"Neg">(x), op<"Cos">(x)).changes_values("much");
  Model model = chain_of("Neg", 1);
  const Report report = sweep(gelu, to_cos).run(model);
  CHECK(report.rules[0].declined == 1);
  CHECK(report.rules[1].applied == 1);
  CHECK(ops(model.graph()) == "Cos");
}

TEST_CASE("nodes go in topological order") {
  // Of three the first two go together: the other way round the last two would.
  static constexpr auto pair = rule<"pair">(op<"Neg">(op<"Neg">(x)), op<"Abs">(x)).changes_values("much");
  Model model = chain_of("Neg", 3);
  fixpoint(pair).run(model);
  CHECK(ops(model.graph()) == "Abs Neg");
}

TEST_CASE("what a sweep makes is not tried again") {
  Model model = chain_of("Neg", 3);
  const Report report = sweep(grow).run(model);
  CHECK(report.converged());
  CHECK(report.changes == 3);
  CHECK(report.rules[0].tried == 3);
  CHECK(ops(model.graph()) == "Abs Neg Abs Neg Abs Neg");
}

TEST_CASE("a sweep lowers in one direction what a set of rules has in both") {
  Small m;
  Value& weight = m.build.constant(floats({2, 2}), "weight");
  Value& bias = m.build.constant(floats({2}), "bias");
  Model model = m.finish(m.op("Gemm", {&m.in, &weight, &bias}));
  CHECK(sweep(gemm_to_matmul_add, matmul_add_to_gemm).run(model).changes == 1);
  CHECK(ops(model.graph()) == "MatMul Add");
}

TEST_CASE("a budget of steps ends a run with the graph sound") {
  Model model = chain_of("Neg", 1);
  Context context;
  context.budget.steps = 10;
  const Report report = fixpoint(grow).run(model, context);
  CHECK(report.outcome == Outcome::budget);
  CHECK(report.changes == 10);
  CHECK(model.graph().nodes().size() == 11);
  CHECK(model.graph().output(0)->name() == "y");
}

TEST_CASE("rules that grow without end meet a budget of their own") {
  Model model = chain_of("Neg", 1);
  const Report report = fixpoint(grow).run(model);
  CHECK(report.outcome == Outcome::budget);
  CHECK(report.changes == 260);
}

TEST_CASE("exactly as many steps as are needed are enough") {
  Model model = chain_of("Relu", 5);
  Context context;
  context.budget.steps = 4;
  CHECK(fixpoint(relu_relu).run(model, context).converged());
}

TEST_CASE("a budget of time ends a run") {
  Model model = chain_of("Relu", 2);
  Context context;
  context.budget.seconds = -1;
  CHECK(fixpoint(relu_relu).run(model, context).outcome == Outcome::budget);
}

TEST_CASE("a run can be cancelled, and tells how far it is") {
  Model model = chain_of("Relu", 1000);
  Context context;
  std::vector<std::size_t> seen;
  context.progress = [&](const Progress& at) {
    CHECK(at.pass == "fixpoint(relu-relu)");
    CHECK(at.total == 1000);
    seen.push_back(at.done);
  };
  context.cancelled = [&] { return seen.size() == 3; };
  CHECK(fixpoint(relu_relu).run(model, context).outcome == Outcome::cancelled);
  CHECK(seen == std::vector<std::size_t>{1, 257, 513});
}

TEST_CASE("rules that undo each other are found while they do") {
  Model model = chain_of("Sin", 3);
  const Report report = fixpoint(sin_to_cos, cos_to_sin).run(model);
  CHECK(report.outcome == Outcome::oscillates);
  CHECK(report.oscillates == std::vector<std::string>{"sin-to-cos", "cos-to-sin"});
  CHECK(report.changes < 10);
  CHECK(model.graph().nodes().size() == 3);
}

TEST_CASE("a rule whose product equals what it replaces declines") {
  static constexpr auto rebuilt = rule<"rebuilt">(op<"Relu">(x).as(act), [](const auto& m, Rewriter& rw) -> Value& {
    return *rw.clone(m[act], {&m[x]}).output(0);
  });
  static constexpr auto both = rule<"both">(op<"Neg">(op<"Add">(x, b)), [](const auto& m, Rewriter& rw) -> Value& {
    return rw.op("Neg", {&rw.op("Add", {&m[x], &rw.constant(*m[b].constant())})});
  });
  static constexpr auto other = rule<"other">(op<"Add">(x, b), [](const auto& m, Rewriter& rw) -> Value& {
    return rw.op("Add", {&m[x], &rw.constant(floats({2, 2}, 7))});
  });
  static constexpr auto axis_1 =
      rule<"axis-1">(op<"Softmax">(x).with(any_attributes).as(act), [](const auto& m, Rewriter& rw) {
        rw.set_attribute(m[act], {"axis", 1});
        return Verdict::yes();
      });
  const auto run = [](const Pass& pass, Model model) {
    Context context;
    context.refusals = true;
    const Report report = pass.run(model, context);
    CHECK(report.converged());
    CHECK(report.warnings.empty());
    CHECK(report.refusals.size() <= 1);
    return std::to_string(report.changes) + (report.refusals.empty() ? "" : " " + report.refusals[0].why);
  };
  const auto sum = [](float value) {
    Small m;
    return m.finish(m.op("Neg", {&m.op("Add", {&m.in, &m.build.constant(floats({2, 2}, value), "seven")})}));
  };
  const auto softmax = [](std::int64_t on) {
    Small m;
    return m.finish(m.op("Softmax", {&m.in}, {{"axis", on}}));
  };
  const std::string declined = "the replacement equals the matched nodes";
  CHECK(run(fixpoint(rebuilt), chain_of("Relu", 1)) == "0 " + declined);
  CHECK(run(sweep(rebuilt), chain_of("Relu", 1)) == "0 " + declined);
  CHECK(run(fixpoint(both), sum(7)) == "0 " + declined);
  CHECK(run(fixpoint(other), sum(7)) == "0 " + declined);
  CHECK(run(fixpoint(other), sum(8)) == "1 " + declined);
  CHECK(run(fixpoint(axis_1), softmax(1)) == "0 " + declined);
  CHECK(run(fixpoint(axis_1), softmax(0)) == "1 " + declined);
}

TEST_CASE("a rule that makes a constant of what callers may override is not a circle") {
  static constexpr auto frozen = rule<"frozen">(op<"Reshape">(x, y).as(act), [](const auto& m, Rewriter& rw) {
    if (m[y].is_constant()) return Verdict::no("it is constant");
    rw.set_input(m[act].use(1), &rw.ints({-1}));
    return Verdict::yes();
  });
  Small m;
  Value& target = m.build.graph().add_input("target", tensor_type(DType::i64, Shape(std::vector<Dim>{Dim(1)})));
  onnx::ModelProto proto = m.finish(m.op("Reshape", {&m.in, &target})).commit();
  onnx::TensorProto& value = *proto.mutable_graph()->add_initializer();
  write_tensor(Tensor::of<std::int64_t>({1}, {-1}), value);
  value.set_name("target");
  Model model(proto);
  const Report report = fixpoint(frozen).run(model);
  CHECK(report.converged());
  CHECK(report.changes == 1);
  CHECK(fixpoint(frozen).run(model).changes == 0);
}

TEST_CASE("a circle is found where nodes before it are made again") {
  static constexpr auto swap = rule<"swap">(op<"Neg">(op<"Sin">(x)), [](const auto& m, Rewriter& rw) -> Value& {
    return rw.op("Sin", {&rw.op("Neg", {&m[x]})});
  });
  static constexpr auto back = rule<"back">(op<"Sin">(op<"Neg">(x)), [](const auto& m, Rewriter& rw) -> Value& {
    return rw.op("Neg", {&rw.op("Sin", {&m[x]})});
  });
  Small m;
  Model model = m.finish(m.op("Neg", {&m.op("Sin", {&m.in})}));
  const Report report = fixpoint(swap, back).run(model);
  CHECK(report.outcome == Outcome::oscillates);
  CHECK_THAT(report.oscillates, Catch::UnorderedEquals(std::vector<std::string>{"swap", "back"}));
  CHECK(report.changes < 10);
}

TEST_CASE("the same rewrite at many places is not a circle") {
  Small m;
  std::vector<Value*> parts;
  for (int i = 0; i < 20; ++i) parts.push_back(&m.op("Relu", {&m.op("Relu", {&m.in})}));
  for (Value* const part : parts) m.build.output(*part);
  Model model = m.build.build();
  CHECK(fixpoint(relu_relu).run(model).converged());
  Model chain = chain_of("Neg", 40);
  CHECK(fixpoint(neg_neg).run(chain).converged());
}

TEST_CASE("a set of rules that certainly undo each other is refused") {
  CHECK_THROWS_WITH(fixpoint(gemm_to_matmul_add, relu_relu, matmul_add_to_gemm),
                    Catch::Contains("form an endless cycle") && Catch::Contains("'gemm-to-matmul-add'") &&
                        Catch::Contains("'matmul-add-to-gemm'") && !Catch::Contains("relu"));
  CHECK_NOTHROW(fixpoint(gemm_to_matmul_add, relu_relu));
}

TEST_CASE("bodies and functions are part of a graph") {
  Builder then_build(17, "then");
  Value& inside = then_build.op("Relu", {&then_build.op("Relu", {&then_build.constant(floats({2}), "c")})});
  then_build.output(inside, "t");
  onnx::GraphProto branch = then_build.build().proto().graph();
  Builder build(17);
  Value& flag = build.input("flag", DType::boolean, std::vector<Dim>{});
  build.output(build.op("If", {&flag}, {{"then_branch", branch}, {"else_branch", branch}}), "y");
  onnx::ModelProto proto = build.build().proto();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_name("f");
  function.set_domain("own");
  function.add_input("a");
  function.add_output("c");
  function.add_opset_import()->set_version(17);
  for (const char* const names : {"ab", "bc"}) {
    onnx::NodeProto& node = *function.add_node();
    node.set_op_type("Relu");
    node.add_input(std::string(1, names[0]));
    node.add_output(std::string(1, names[1]));
  }
  Model model(std::move(proto));
  SECTION("of the main one") {
    const Report report = fixpoint(relu_relu).run(model);
    CHECK(report.changes == 3);
    CHECK(report.nodes_before == 7);
    CHECK(report.nodes_after == 4);
    CHECK(model.functions()[0]->nodes().size() == 1);
    CHECK(model.commit().functions(0).output(0) == "c");
    CHECK(model.proto().graph().node(0).attribute(0).g().node_size() == 1);
  }
  SECTION("alone") {
    Context context;
    Graph& body = *model.graph().first_node()->bodies()[1].graph;
    CHECK(fixpoint(relu_relu).run(body, context).changes == 1);
    CHECK(model.functions()[0]->nodes().size() == 2);
  }
}

TEST_CASE("a body that is gone is not rewritten, one that moves is") {
  static constexpr auto choose = rule<"choose">(op<"If">(w).as(act), [](const auto& m, Rewriter& rw) {
    return rw.inline_body(m[act], m[w].constant()->template item<bool>() ? "then_branch" : "else_branch");
  });
  Builder inside(17, "inside");
  inside.output(inside.op("Relu", {&inside.op("Relu", {&inside.constant(floats({2}), "c")})}), "t");
  const onnx::GraphProto branch = inside.build().proto().graph();
  Builder build(17);
  Value& flag = build.constant(Tensor::scalar(true), "flag");
  build.output(build.op("If", {&flag}, {{"then_branch", branch}, {"else_branch", branch}}), "y");
  Model model = build.build();
  const Report report = fixpoint(choose, relu_relu).run(model);
  CHECK(report.rules[0].applied == 1);
  CHECK(report.rules[1].applied == 1);
  CHECK(ops(model.graph()) == "Relu");
  CHECK(model.graph().output(0)->name() == "y");
}

TEST_CASE("a constant is shared by all that a run makes") {
  static constexpr auto to_add = rule<"to-add">(op<"Neg">(x), op<"Add">(x, scalar(2.0f))).changes_values("much");
  Model model = chain_of("Neg", 5);
  sweep(to_add).run(model);
  CHECK(model.graph().initializers().size() == 1);
}

TEST_CASE("the same input gives the same bytes") {
  const auto run = [] {
    Small m;
    std::vector<Value*> layer{&m.in, &m.op("Tanh", {&m.in})};
    for (int i = 0; i < 40; ++i) {
      Value& a = *layer[static_cast<std::size_t>(i)];
      Value& c = *layer[static_cast<std::size_t>(i * 7 % (i + 1))];
      layer.push_back(&m.op(i % 3 == 0 ? "Relu" : "Identity", {i % 2 == 0 ? &m.op("Add", {&a, &c}) : &a}));
    }
    m.build.output(*layer.back(), "y");
    m.build.output(*layer[layer.size() / 2], "z");
    Model model = m.build.build();
    fixpoint(no_identity, relu_relu).run(model);
    return model.serialize();
  };
  const std::string first = run();
  for (int i = 0; i < 3; ++i) CHECK(run() == first);
}

TEST_CASE("refusals are reported when they are asked for") {
  Small m;
  Value& relu = m.op("Relu", {&m.in});
  m.build.output(relu, "a");
  m.build.output(m.op("Relu", {&relu}), "b");
  Model model = m.build.build();
  Context context;
  CHECK(fixpoint(relu_relu).run(model, context).refusals.empty());
  context.refusals = true;
  const Report report = fixpoint(relu_relu).run(model, context);
  REQUIRE(report.refusals.size() == 2);
  CHECK(report.refusals[0].why == "input 0 is graph input %in, expected Relu");
  CHECK(report.refusals[0].code == "op");
  CHECK(report.refusals[0].matched_nodes == 1);
  CHECK(report.refusals[0].node == "Relu 'Relu__1'");
  CHECK(report.refusals[0].output == relu.name());
  CHECK(report.refusals[1].why == "an output of Relu 'Relu__1' is a graph output");
  CHECK(report.refusals[1].code == "graph_output");
  CHECK(report.refusals[1].matched_nodes == 2);
  CHECK(report.refusals[1].rule == "relu-relu");
}

TEST_CASE("a hub with many users costs no more for each of them") {
  const auto tried = [](std::size_t count) {
    Small m;
    Value& hub = m.op("Relu", {&m.in});
    std::vector<Value*> users;
    for (std::size_t i = 0; i < count; ++i) users.push_back(&m.op("Neg", {&m.op("Neg", {&hub})}));
    Model model = m.finish(*m.build.graph().insert("Sum", users, 1).output(0));
    const Report report = fixpoint(neg_neg, relu_relu).run(model);
    CHECK(report.converged());
    return report.rules[0].tried + report.rules[1].tried;
  };
  CHECK(tried(1000) <= 11 * tried(100));
}

namespace {

struct Name {
  static constexpr std::string_view fact_name = "a name";

  std::string text{};
};

}  // namespace

TEST_CASE("a set of many rules is named by its first four") {
  static constexpr auto other = rule<"other">(op<"Neg">(op<"Neg">(x)), x);
  CHECK(fixpoint(relu_relu, other, no_identity, relu_relu).name() ==
        "fixpoint(relu-relu, other, no-identity, relu-relu)");
  CHECK(fixpoint(relu_relu, other, no_identity, relu_relu, other, other).name() ==
        "fixpoint(relu-relu, other, no-identity, relu-relu and 2 more)");
}

TEST_CASE("a sweep may ask what the run knows before a rule goes") {
  Model model = chain_of("Relu", 4);
  Context context;
  context.refusals = true;
  context.facts.provide(Name{"y"});
  const auto condition = [](const Node& root, const Context& known) {
    return root.output(0)->is_graph_output() == known.facts.find<Name>()->text.empty()
               ? Verdict::yes()
               : Verdict::no({.text = "it is the last one", .code = "last"});
  };
  const Report report = sweep_where(condition, relu_relu).run(model, context);
  CHECK(report.rule("relu-relu").declined == 1);
  CHECK(report.rule("relu-relu").applied >= 1);
  REQUIRE(report.refusals.size() == 1);
  CHECK(report.refusals[0].why == "it is the last one");
  CHECK(report.refusals[0].code == "last");
  CHECK(report.refusals[0].matched_nodes == 2);
  context.facts.edit<Name>()->text.clear();
  CHECK(sweep_where(condition, relu_relu).run(model, context).changes == 1);
}

TEST_CASE("a fixpoint may ask what the run knows before a rule goes") {
  Model model = chain_of("Relu", 5);
  Context context;
  const auto unless_last = [](const Node& root, const Context&) {
    return root.output(0)->is_graph_output() ? Verdict::no("it is the last one") : Verdict::yes();
  };
  CHECK(fixpoint_where(unless_last, relu_relu).run(model, context).changes == 3);
  CHECK(fixpoint(relu_relu).run(model, context).changes == 1);
}

TEST_CASE("the operator above a node is found at any operand that the rule allows, refusals asked for or not") {
  static constexpr auto either_order = rule<"either-order">(comm<"Add">(op<"Relu">(x), y), op<"Sub">(x, y));
  static constexpr auto first_alone = rule<"first-alone">(op<"Mul">(op<"Relu">(x), y), op<"Sub">(x, y));
  for (const char* const root : {"Add", "Mul"}) {
    for (const bool is_second : {false, true}) {
      for (const bool refusals : {false, true}) {
        Small m;
        Value &relu = m.op("Relu", {&m.in}), &tanh = m.op("Tanh", {&m.in});
        Model model = m.finish(is_second ? m.op(root, {&tanh, &relu}) : m.op(root, {&relu, &tanh}));
        Context context;
        context.refusals = refusals;
        const Report report = fixpoint(either_order, first_alone).run(model, context);
        INFO(root << is_second << refusals);
        CHECK(report.changes == (std::string_view(root) == "Add" || !is_second ? 1 : 0));
      }
    }
  }
}

TEST_CASE("a rule whose operator no ONNX version has is warned of once, unless the model uses it") {
  static constexpr auto misspelt = rule<"misspelt">(op<"Reluu">(op<"Relu">(x)), x);
  Model model = chain_of("Relu", 3);
  std::string logged;
  Context context;
  context.log = [&](std::string_view line) { logged += std::string(line) + "\n"; };
  const Report report = fixpoint(misspelt, relu_relu).run(model, context);
  const std::string note = "'misspelt' looks for Reluu, which no ONNX version has and the model does not use";
  CHECK(report.warnings == std::vector<std::string>{note});
  CHECK(logged == note + "\n");

  static constexpr auto builds = rule<"builds">(op<"Relu">(op<"Relu">(x)), op<"Tanhh">(x));
  CHECK(fixpoint(builds).run(model).warnings ==
        std::vector<std::string>{"'builds' builds Tanhh, which no ONNX version has and the model does not use"});

  Model used = chain_of("Reluu", 1);
  CHECK(fixpoint(misspelt).run(used).warnings.empty());
}

TEST_CASE("folded(...) without an executor is warned of once") {
  static constexpr auto fold = rule<"fold">(op<"Mul">(op<"Neg">(x), w), op<"Mul">(x, folded(op<"Neg">(w))));
  Small m;
  Value* at = &m.in;
  for (const char* const name : {"a", "b"})
    at = &m.op("Mul", {&m.op("Neg", {at}), &m.build.constant(floats({2}), name)});
  Model model = m.finish(*at);
  const Report report = fixpoint(fold).run(model);
  CHECK(report.changes == 0);
  CHECK(report.warnings ==
        std::vector<std::string>{"'fold': folded(...) needs an executor: set Context::executor, for example to "
                                 "node_executor()"});
}

TEST_CASE("a function that returns yes without an edit is warned of once") {
  static constexpr auto idle = rule<"idle">(op<"Relu">(x), [](const auto&, Rewriter&) { return Verdict::yes(); });
  Model model = chain_of("Relu", 3);
  CHECK(sweep(idle).run(model).warnings ==
        std::vector<std::string>{"'idle': the rule returned yes, but changed nothing"});
}

TEST_CASE("a rewriter that is left without accept() says so") {
  Model model = chain_of("Relu", 1);
  std::string logged;
  Context context;
  context.log = [&](std::string_view line) { logged += line; };
  const Pass forgetful = pass("forgetful", [](Graph& graph, Context& shared) {
    Rewriter rewriter(graph, shared);
    rewriter.at(*graph.first_node());
    static_cast<void>(rewriter.replace(*graph.output(0), rewriter.op("Neg", {graph.inputs()[0]})));
  });
  static_cast<void>(forgetful.run(model, context));
  CHECK(ops(model.graph()) == "Relu");
  CHECK(logged == "the edits of a Rewriter were undone: it ended without accept()");
}

TEST_CASE("rules that grow until the budget are named") {
  Model model = chain_of("Neg", 1);
  Context context;
  context.budget.steps = 10;
  const Report report = fixpoint(grow, no_identity).run(model, context);
  CHECK(report.outcome == Outcome::budget);
  CHECK(report.warnings == std::vector<std::string>{"the graph grew until the steps ran out: 'grow' added 10 nodes"});
}

TEST_CASE("rules preserve facts unless one declares that it changes values") {
  static constexpr auto rough = relu_relu.changes_values("half a step");
  Context context;
  for (const bool changes : {false, true}) {
    Model model = chain_of("Relu", 3);
    context.facts.provide(Name{"y"});
    (changes ? fixpoint(rough) : fixpoint(relu_relu)).run(model, context);
    CHECK((context.facts.find<Name>() == nullptr) == changes);
  }
}
