#include <graft/testing/given.hpp>

#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/operators.hpp>
#include <graft/testing/equivalent.hpp>
#include <graft/testing/shrink.hpp>

#include "support/folder.hpp"
#include "testing/words.hpp"

using namespace words;

namespace {

inline constexpr auto amount = arg<"amount", float>;
inline constexpr auto add_amount = rule<"add-amount">(
    op<"Relu">(x), op<"Add">(x, tensor<+[](const float& by) { return Tensor::scalar(by); }>(amount)));
inline constexpr auto to_lowering = rule<"abs-to-abs-abs">(op<"Abs">(x), op<"Abs">(op<"Abs">(x)));

}  // namespace

TEST_CASE("the examples of the kit hold") {
  const Model g = graph("x: f32[2,N]; y = Relu(Relu(x))");
  CHECK(given(g).rule(relu_relu).becomes("x: f32[2,N]; y = Relu(x)"));
  CHECK(given("x: f32[2,N]; y = Relu(Abs(x))").rule(relu_relu).refuses("expected Relu"));
  CHECK(given(g).pass(fixpoint(relu_relu)).equivalent({.inputs = 20, .atol = 1e-5}));
}

TEST_CASE("a model is given with what it has in data files and in a scratch file") {
  const Folder folder;
  graph("x: f32[2000]; w = f32[2000] 2; y = Relu(Relu(Mul(x, w)))").save(folder / "m.onnx", {.external_data_over = 0});
  Model model = Model::load(folder / "m.onnx", {.scratch_folder = folder.path()});
  CHECK(given(model).rule(relu_relu).equivalent());
  model.graph().set_initializer(*model.graph().find("w"), Tensor::of<float>({2000}, std::vector<float>(2000, 3)));
  CHECK(given(model).rule(relu_relu).equivalent());
  const Model small = shrink(model, [](const Model& less) {
    const Value* const w = less.graph().find("w");
    return w != nullptr && w->constant()->to<int>() == std::vector<int>(2000, 3);
  });
  CHECK(small.graph().find("w")->constant()->to<int>()[0] == 3);
}

TEST_CASE("a graph is given as text, as a model, or with pending edits") {
  CHECK(given("x: f32[2]; y = Relu(Relu(x))").rule(relu_relu).becomes("x: f32[2]; y = Relu(x)"));
  Model model = graph("x: f32[2]; y = Relu(Relu(x))");
  model.graph().set_op(*model.graph().first_node(), "Neg");
  CHECK(given(model).rule(relu_relu).refuses("is Neg"));
  CHECK(given(graph("x: f32[2]; y = Relu(Relu(x))")).rule(relu_relu).equivalent());
}

TEST_CASE("what is given stays as it is") {
  Model model = graph("x: f32[2]; y = Relu(Relu(x))");
  const std::string before = model.serialize();
  CHECK(given(model).rule(relu_relu).equivalent());
  CHECK(model.serialize() == before);
  CHECK(model.graph().nodes().size() == 2);
}

TEST_CASE("rules take arguments, passes are functions, pipelines and drivers") {
  CHECK(given("x: f32[2]; y = Relu(x)").rule(add_amount, amount = 2.0f).becomes("x: f32[2]; y = Add(x, f32[] 2)"));
  CHECK(given("x: f32[2]; y = Abs(x)").pass(sweep(to_lowering)).becomes("x: f32[2]; y = Abs(Abs(x))"));
  CHECK(given("x: f32[2]; y = Abs(x)")
            .pass([](Graph& graph, Context&) { graph.set_op(*graph.first_node(), "Neg"); })
            .becomes("x: f32[2]; y = Neg(x)"));
}

namespace {

struct Answer {
  static constexpr std::string_view fact_name = "the answer";

  int value = 0;
};

}  // namespace

TEST_CASE("the context goes to the pass") {
  Context context;
  context.facts.provide(Answer{5});
  int seen = 0;
  const Trial trial = given("x: f32[2]; y = Abs(x)").with(context).pass([&](Graph&, Context& own) {
    seen = own.facts.find<Answer>()->value;
  });
  CHECK(trial.converges());
  CHECK(seen == 5);
}

TEST_CASE("constants fold in a trial") {
  static constexpr auto fold = rule<"fold">(op<"Add">(op<"Add">(x, w), b), op<"Add">(x, folded(op<"Add">(w, b))));
  CHECK(given("x: f32[2]; y = Add(Add(x, f32[2] {1,2}), f32[2] {3,4})")
            .rule(fold)
            .becomes("x: f32[2]; y = Add(x, f32[2] {4,6})"));
}

TEST_CASE("a check of a rule that would never end fails, and says why") {
  const TestResult result = given("x: f32[2]; y = Abs(x)").rule(to_lowering).equivalent();
  CHECK_FALSE(result);
  CHECK_THAT(result.message(), Catch::Contains("'abs-to-abs-abs' throws") && Catch::Contains("endless cycle"));
  CHECK(given("x: f32[2]; y = Abs(x)").rule(to_lowering).refuses("endless cycle"));
}

TEST_CASE("an expected constant may have any contents, of its dtype and shape") {
  static constexpr auto fold = rule<"fold">(op<"Add">(op<"Add">(x, w), b), op<"Add">(x, folded(op<"Add">(w, b))));
  const Trial trial = given("x: f32[2]; y = Add(Add(x, f32[2] {1,2}), f32[2] {3,4})").rule(fold);
  CHECK(trial.becomes("x: f32[2]; y = Add(x, f32[2] _)"));
  CHECK(trial.becomes("x: f32[2]; c = f32[2] _; y = Add(x, c)"));
  CHECK_FALSE(trial.becomes("x: f32[2]; y = Add(x, f32[1] _)"));
  CHECK_FALSE(trial.becomes("x: f32[2]; y = Add(x, f64[2] _)"));
  CHECK_FALSE(trial.becomes("x: f32[2]; y = Sub(x, f32[2] _)"));
  CHECK(error_of([] { static_cast<void>(graph("y = Constant() {value=f32[2] _}")); }) ==
        "line 1, column 17: the tensor of an attribute has contents, not _");
}

TEST_CASE("a rule that tries nothing because its operator is misspelt is not a refusal") {
  static constexpr auto misspelt = rule<"misspelt">(op<"Reluu">(x), x);
  const TestResult result = given("x: f32[2]; y = Relu(x)").rule(misspelt).refuses();
  CHECK_FALSE(result);
  CHECK_THAT(result.message(), Catch::StartsWith("nothing was tried") && Catch::Contains("looks for Reluu"));
}

TEST_CASE("a graph is given with the operators that its model knows") {
  const OperatorSchema schema{.inputs = {{"x", "T"}}, .outputs = {{"y", "T"}}, .defaults = {{"by", 2.0F}}};
  const InferFunction shape = [](InferContext& at) {
    at.set_shape(0, at.shape(0));
    return Verdict::yes();
  };
  const Kernel kernel = [](KernelContext& at) {
    Tensor result = at.take_input(0);
    for (float& number : result.mutable_data<float>()) number *= *at.node().attr<float>("by");
    at.set_output(0, std::move(result));
  };
  Operators operators;
  operators.add("mine::Scale", {.schema = schema, .shape = shape, .kernel = kernel});
  const Model model = graph("x: f32[2,3]; y = Relu(Relu(mine::Scale(x) {by=3}))", operators);
  CHECK(model.graph().first_node()->attr<float>("by") == 3.0F);
  CHECK(to_string(model.graph().find("y")->shape()) == "[2,3]");
  CHECK(given(model).rule(relu_relu).equivalent());
  CHECK_FALSE(given("x: f32[2,3]; y = Relu(Relu(mine::Scale(x)))").rule(relu_relu).equivalent());
  const Model other = graph("x: f32[2,3]; y = Relu(mine::Scale(x))", operators);
  CHECK(equivalent(other.graph(), graph("x: f32[2,3]; y = Relu(mine::Scale(x) {by=2.0})", operators).graph()));
  CHECK_FALSE(equivalent(other.graph(), graph("x: f32[2,3]; y = Relu(mine::Scale(x) {by=4})", operators).graph()));
  CHECK(shrink(model, [](const Model&) { return true; }).operators() == operators);
  CHECK_THROWS_WITH(graph("x: f32[2]; y = mine::Scale(x) {of=2}", operators), Catch::Contains("no attribute 'of'"));
}
