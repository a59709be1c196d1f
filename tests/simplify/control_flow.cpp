#include <graft/simplify/control_flow.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("constant_if leaves the branch that is taken") {
  const auto branches = [](std::string_view condition) {
    return "x: f32[2]; c = " + std::string(condition) +
           "; y = Neg(If(c) {then_branch={ k = f32[2] {1, 2}; t = Mul(Relu(x), k) }, else_branch={ u = Abs(x) }})";
  };
  CHECK(given(branches("bool[] true"))
            .rule(constant_if)
            .becomes("x: f32[2]; k = f32[2] {1, 2}; y = Neg(Mul(Relu(x), k))"));
  CHECK(given(branches("bool[1] false")).rule(constant_if).becomes("x: f32[2]; y = Neg(Abs(x))"));
  CHECK(given(branches("bool[] true")).rule(constant_if).equivalent());
}

TEST_CASE("constant_if with several outputs, names that are graph outputs, and bodies within") {
  CHECK(given("x: f32[2]; c = bool[] true; d: bool[];"
              "y, z = If(c) {then_branch={ a = Relu(x); b = If(d) {then_branch={ p = Neg(a) }, else_branch={ q = Abs(x)"
              "}}; return a, b }, else_branch={ e = Neg(x); f = Neg(x); return e, f }}; return y, z")
            .rule(constant_if)
            .becomes("x: f32[2]; d: bool[]; y = Relu(x);"
                     "z = If(d) {then_branch={ p = Neg(y) }, else_branch={ q = Abs(x) }}; return y, z"));
}

TEST_CASE("constant_if goes down into what it has opened") {
  CHECK(given("x: f32[2]; c = bool[] true;"
              "y = If(c) {then_branch={ t = If(c) {then_branch={ p = Neg(x) }, else_branch={ q = Abs(x) }} },"
              "else_branch={ u = Relu(x) }}")
            .rule(constant_if)
            .becomes("x: f32[2]; y = Neg(x)"));
}

TEST_CASE("constant_if inlines what is nested in the branch in one step") {
  // The nodes between the Ifs come along in order, those of the other branch do not.
  constexpr int depth = 300;
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::GraphProto* scope = proto.mutable_graph();
  scope->add_input()->set_name("x");
  scope->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  scope->add_output()->set_name("y");
  const auto flag = [](onnx::GraphProto& in, const std::string& name, bool value) {
    onnx::TensorProto& tensor = *in.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::BOOL);
    tensor.add_int32_data(value);
  };
  const auto node = [](onnx::GraphProto& in, const char* op, const std::string& input, const std::string& output) {
    onnx::NodeProto& made = *in.add_node();
    made.set_op_type(op);
    made.add_input(input);
    made.add_output(output);
    return &made;
  };
  const auto branch = [](onnx::NodeProto& of, const char* name, const std::string& output) {
    onnx::AttributeProto& attribute = *of.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->add_output()->set_name(output);
    return attribute.mutable_g();
  };
  std::string input = "x", output = "y";
  for (int i = 0; i < depth; ++i) {
    const std::string level = std::to_string(i);
    node(*scope, i % 2 == 0 ? "Relu" : "Neg", input, "h" + level);
    input = "h" + level;
    flag(*scope, "c" + level, i % 3 != 0);
    onnx::NodeProto& made = *node(*scope, "If", "c" + level, output);
    onnx::GraphProto* const branches[] = {branch(made, "else_branch", "e" + level),
                                          branch(made, "then_branch", "t" + level)};
    const bool taken = i % 3 != 0;
    node(*branches[!taken], "Abs", input, (taken ? "e" : "t") + level);
    output = (taken ? "t" : "e") + level;
    scope = branches[taken];
  }
  node(*scope, "Exp", input, output);

  Model model(std::move(proto));
  const Report report = fixpoint(constant_if).run(model);
  CHECK(report.converged());
  CHECK(report.changes == 1);
  CHECK(model.scopes().size() == 1);
  CHECK(model.graph().initializers().size() == 0);
  REQUIRE(model.graph().nodes().size() == depth + 1);
  const Value* value = model.graph().find("x");
  int i = 0;
  for (const Node& each : model.graph().nodes()) {
    REQUIRE(each.op_type() == (i == depth ? "Exp" : i % 2 == 0 ? "Relu" : "Neg"));
    REQUIRE(each.input(0) == value);
    value = each.output(0);
    ++i;
  }
  CHECK(model.graph().output(0) == value);
  CHECK(value->name() == "y");
  CHECK(verify(model).empty());
}

TEST_CASE("constant_if keeps unknown Ifs in the branch") {
  CHECK(given("x: f32[2]; d: bool[]; c = bool[] true;"
              "y = If(c) {then_branch={ t = If(d) {then_branch={ p = If(c) {then_branch={ r = Neg(x) }, else_branch={"
              "s = Relu(x) }} }, else_branch={ q = Abs(x) }}; u = Exp(t) }, else_branch={ v = Relu(x) }}")
            .rule(constant_if)
            .becomes("x: f32[2]; d: bool[]; t = If(d) {then_branch={ p = Neg(x) }, else_branch={ q = Abs(x) }};"
                     "y = Exp(t)"));
}

TEST_CASE("constant_if through all variants") {
  const VariantReport report =
      variants(constant_if,
               "x: f32[2,N]; c = bool[] true; h = Relu(x);"
               "y = If(c) {then_branch={ t = Neg(h) }, else_branch={ u = Abs(h) }}; z = Neg(y)");
  CHECK(report);
  CHECK(report.find("another consumer of %y")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("constant_if refuses a condition that is not constant") {
  CHECK(given("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}")
            .rule(constant_if)
            .refuses("constant"));
}

TEST_CASE("constant_if refuses a condition that is not a bool") {
  CHECK(given("x: f32[2]; c = f32[] 1; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}")
            .rule(constant_if)
            .refuses("dtype"));
}

namespace {

/// A Loop that carries one value and gives one slice, so many times.
std::string loop(const std::string& trips, const std::string& condition = "_", const std::string& goes_on = "c") {
  return "x: f32[2]; y, s = Loop(" + trips + ", " + condition +
         ", x) {body={ i: i64[]; c: bool[]; a: f32[2]; d = Cast(i) {to=1}; b = Add(a, d); t = Mul(b, b);" +
         (goes_on == "c" ? "return c, b, t" : goes_on + "; return g, b, t") + " }}; return y, s";
}

}  // namespace

TEST_CASE("a Loop becomes the nodes of its iterations, whose slices are joined") {
  CHECK(given(loop("i64[] 2"))
            .pass(unroll_loops())
            .becomes("x: f32[2]; p = i64[1] 0; b = Add(x, Cast(i64[] 0) {to=1}); t = Mul(b, b);"
                     "y = Add(b, Cast(i64[] 1) {to=1}); u = Mul(y, y);"
                     "s = Concat(Unsqueeze(t, p), Unsqueeze(u, p)) {axis=0}; return y, s"));
  for (const char* const trips : {"i64[] 1", "i64[1] 3", "i64[] 8"}) {
    CHECK(given(loop(trips)).pass(unroll_loops()).equivalent());
    CHECK(given("opset 11;" + loop(trips)).pass(unroll_loops()).equivalent());
    CHECK(given(loop(trips)).pass(unroll_loops() | simplify()).equivalent());
  }
  CHECK(given(loop("i64[] 3", "bool[] true", "g = Identity(c)")).pass(simplify() | unroll_loops()).equivalent());
  CHECK(given(loop("i64[] 3", "_", "g = bool[] true")).pass(unroll_loops()).equivalent());
}

TEST_CASE("a Loop of iterations that are many, or not known, or that may end earlier stays") {
  const auto stays = [](const std::string& text, UnrollOptions options = {}) {
    INFO(text);
    Model model = graph(text);
    CHECK(unroll_loops(options).run(model).changes == 0);
    CHECK(model.graph().nodes().size() == 1);
  };
  stays(loop("i64[] 9"));
  stays(loop("i64[] 2"), {.max_trips = 1});
  stays(loop("i64[] 3"), {.max_nodes = 11});
  stays("n: i64[];" + loop("n"));
  stays("k: bool[];" + loop("i64[] 2", "k"));
  stays(loop("i64[] 2", "bool[] false"));
  stays(loop("i64[] 2", "_", "g = Less(i, i64[] 1)"));
  stays(loop("_", "bool[] true"));
  stays(loop("i64[] 0"));
  Model fits = graph(loop("i64[] 3"));
  CHECK(unroll_loops({.max_nodes = 12}).run(fits).changes == 1);
}

TEST_CASE("a Loop of no iteration gives what it was given") {
  CHECK(given("x: f32[2]; h = Relu(x); y = Loop(i64[] 0, _, h) {body={ i: i64[]; c: bool[]; a: f32[2]; "
              "b = Neg(a); return c, b }}")
            .pass(unroll_loops())
            .becomes("x: f32[2]; y = Relu(x)"));
}

TEST_CASE("what a body reads from outside, its initializers and its own bodies stay what they are") {
  CHECK(given("x: f32[2]; k: bool[]; w = f32[2] {1, 2}; h = Relu(x); y = Loop(i64[] 3, _, x) {"
              "body={ i: i64[]; c: bool[]; a: f32[2]; v = f32[2] {3, 4}; e = Add(a, h); f = Mul(e, w);"
              "g = If(k) {then_branch={ p = Add(f, v) }, else_branch={ q = Sub(f, e) }}; return c, g }}")
            .pass(unroll_loops())
            .equivalent());
}

TEST_CASE("the innermost Loops are written out first, and count for those around them") {
  const std::string text =
      "x: f32[2]; y = Loop(i64[] 2, _, x) {body={ i: i64[]; c: bool[]; a: f32[2]; "
      "b = Loop(i64[] 3, _, a) {body={ j: i64[]; d: bool[]; e: f32[2]; f = Mul(e, e); g = Add(f, x); return d, g }};"
      "return c, b }}";
  CHECK(given(text).pass(unroll_loops()).equivalent());
  Model all = graph(text), inner = graph(text);
  CHECK(unroll_loops().run(all).changes == 2);
  CHECK(all.graph().nodes().size() == 12);
  CHECK(unroll_loops({.max_nodes = 11}).run(inner).changes == 1);
  CHECK(inner.graph().nodes().size() == 1);
}

TEST_CASE("trips that follow from shapes are known") {
  CHECK(given("x: f32[3,2]; n = Gather(Shape(x), i64[] 0); z = f32[2] 0; y = Loop(n, _, z) {"
              "body={ i: i64[]; c: bool[]; a: f32[2]; r = Gather(x, i); b = Add(a, r); return c, b }}")
            .pass(unroll_loops() | simplify())
            .equivalent());
}
