#include <graft/testing/text.hpp>

#include <cmath>

#include <catch2/catch.hpp>
#include <graft/graph/print.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

std::string printed(std::string_view text) { return to_string(graph(text).graph()); }
std::string fault(std::string_view text) {
  return error_of([&] { graph(text); });
}
Tensor contents(std::string_view text) {
  const Model model = graph(std::string("x: f32; w = ") + std::string(text) + "; y = Neg(x)");
  Tensor tensor = *model.graph().find("w")->constant();
  tensor.mutable_bytes();  // a copy, which outlives the model
  return tensor;
}
const onnx::AttributeProto& attribute(const Model& model) { return model.graph().last_node()->proto().attribute(0); }

}  // namespace

TEST_CASE("text reads as graphs print") {
  const std::string text = printed(R"(
    x: f32[1,3,N,?]
    w = f32[4,3,3,3] random
    y = Conv(x, w) {strides=[2,2], pads=[1,1,1,1]}
    return y)");
  CHECK(text ==
        "graph graph(%x : f32[1,3,N,?]) {\n"
        "  %w = initializer : f32[4,3,3,3]\n"
        "  %y = Conv(%x, %w) {strides=[2,2], pads=[1,1,1,1]} : f32[1,4,?,?]\n"
        "  return %y\n"
        "}\n");
}

TEST_CASE("a printed node line is text") {
  const Model model = graph("%x: f32[2,3]; %0 = Transpose(%x) {perm=[1,0]} : f32[3,2]");
  CHECK(to_string(*model.graph().first_node()) == "%0 = Transpose(%x) {perm=[1,0]} : f32[3,2]");
}

TEST_CASE("calls nest, operands first") {
  const Model model = graph("x: f32[2]; y = Add(Relu(x), Neg(Relu(x)))");
  std::string ops;
  for (const Node& node : model.graph().nodes())
    ops += std::string(node.op_type()) + " " + std::string(node.name()) + ";";
  CHECK(ops == "Relu Relu_1;Relu Relu_2;Neg Neg_1;Add y;");
}

TEST_CASE("made-up names keep clear of those in the text") {
  const Model model = graph("x: f32[2]; y = Neg(Relu(x)); Relu_1 = Abs(y); return Relu_1");
  CHECK(model.graph().first_node()->name() == "Relu_2");
}

TEST_CASE("several, omitted and absent") {
  const Model model = graph("x: f32[4]; a, _ = Split(x); y = Clip(a, _, f32[] 6); return y");
  const Node& split = *model.graph().first_node();
  CHECK(split.output_count() == 2);
  CHECK(split.output(1)->name().empty());
  CHECK(model.graph().last_node()->input(1) == nullptr);
  CHECK(model.graph().last_node()->input(2)->constant()->item<float>() == 6);
}

TEST_CASE("the outputs are what is returned, or what nothing reads") {
  CHECK(graph("x: f32[2]; h = Relu(x); y = Neg(h); z = Abs(h)").graph().output_count() == 2);
  const Model model = graph("x: f32[2]; h = Relu(x); y = Neg(h); return y, h");
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().output(1)->name() == "h");
  CHECK(model.proto().graph().output(0).type().tensor_type().elem_type() == 1);
}

TEST_CASE("an initializer may be an input as well") {
  const Model model = graph("x: f32[2]; w: f32[2] = {1, 2}; c = f32[2] 3; y = Add(Mul(x, w), c)");
  const Value& overridable = *model.graph().find("w");
  CHECK(overridable.is_graph_input());
  CHECK(overridable.initializer() != nullptr);
  CHECK_FALSE(overridable.is_constant());
  CHECK(model.graph().find("c")->is_constant());
  CHECK(model.graph().inputs().size() == 2);
}

TEST_CASE("contents are listed, repeated or random") {
  CHECK(contents("f32[2,2] {1, -2.5, inf, 1e3}").to<double>() == std::vector<double>{1, -2.5, INFINITY, 1000});
  CHECK(contents("i64[3] 7").to<std::int64_t>() == Ints{7, 7, 7});
  CHECK(contents("i64[] 9007199254740993").item<std::int64_t>() == 9007199254740993);
  CHECK(contents("bool[2] {true, false}").to<std::int64_t>() == Ints{1, 0});
  CHECK(contents("u8[0] 1").size() == 0);
  CHECK(std::isnan(contents("f16[] nan").item<double>()));
  for (const double value : contents("f32[100] random(0.5, 2)").to<double>()) {
    CHECK(value >= 0.5);
    CHECK(value < 2);
  }
  CHECK(contents("f32[9] random").same_bytes(contents("f32[9] random")));
  CHECK(contents("f32[9] random(-1, 1, 3)").same_bytes(contents("f32[9] random(-1, 1, 3)")));
  CHECK_FALSE(contents("f32[9] random(-1, 1, 3)").same_bytes(contents("f32[9] random(-1, 1, 4)")));
  const Model two = graph("a = f32[9] random; b = f32[9] random; y = Add(a, b)");
  CHECK_FALSE(two.graph().find("a")->constant()->same_bytes(*two.graph().find("b")->constant()));
  const Model strings = graph("s = string[2] {\"a\\n\", \"b\"}; y = Identity(s)");
  CHECK(strings.graph().find("s")->initializer()->string_data(0) == "a\n");
}

TEST_CASE("attributes of every kind") {
  const auto kind_of = [](std::string_view value) {
    return std::string(to_string(kind(attribute(graph("x: f32[2]; y = test::Op(x) {a=" + std::string(value) + "}")))));
  };
  CHECK(kind_of("1") == "int");
  CHECK(kind_of("-1.5") == "float");
  CHECK(kind_of("true") == "int");
  CHECK(kind_of("\"s\"") == "string");
  CHECK(kind_of("[1,2]") == "ints");
  CHECK(kind_of("[1,2.5]") == "floats");
  CHECK(kind_of("[\"a\"]") == "strings");
  CHECK(kind_of("[]") == "ints");
  CHECK(kind_of("f32[2] {1,2}") == "tensor");
  CHECK(kind_of("[f32[] 1, f32[] 2]") == "tensors");
  CHECK(kind_of("{ z = Relu(x) }") == "graph");
  CHECK(kind_of("[{ z = Relu(x) }, { u = Neg(x) }]") == "graphs");
  CHECK(attribute(graph("x: f32[2]; y = Cast(x) {to=i32}")).i() == 6);
}

TEST_CASE("the schema tells floats from ints") {
  CHECK(attribute(graph("x: f32[2]; y = LeakyRelu(x) {alpha=1}")).f() == 1);
  CHECK(kind(attribute(graph("x: f32[2]; y = LeakyRelu(x) {alpha=1}"))) == onnx::AttributeProto::FLOAT);
  CHECK(fault("x: f32[2]; y = LeakyRelu(x) {alpha=\"a\"}") ==
        "line 1, column 30: 'alpha' of LeakyRelu is float, not string");
  CHECK(graph("x: f32[2]; y = ai.onnx::Relu(x)").graph().first_node()->op_type() == "Relu");
  CHECK(fault("x: f32[2]; y = Relv(x)") == "line 1, column 16: ONNX has no operator 'Relv'");
  CHECK(fault("x: f32[2]; y = LeakyRelu(x) {alhpa=1}") ==
        "line 1, column 30: LeakyRelu has no attribute 'alhpa' in opset 17");
  CHECK(fault("x: f32[2]; y = Softmax(x) {axis=1.5}") == "line 1, column 28: 'axis' of Softmax is int, not float");
}

TEST_CASE("bodies see the scopes around them, and have inputs of their own") {
  const Model model = graph(R"(
    x: f32[2]; c: bool[]; n: i64[]
    y = If(c) {then_branch={ t = Neg(x) }, else_branch={ t = Abs(x) }}
    v = Loop(n, c, x) {body={
      i: i64[]; going: bool[]; state: f32[2]
      next = Add(state, y)
      again = Identity(going)
      return again, next
    }})");
  const Node& conditional = *model.graph().find("y")->producer();
  CHECK(conditional.bodies().size() == 2);
  CHECK(conditional.bodies()[0].graph->first_node()->input(0) == model.graph().find("x"));
  const Graph& body = *model.graph().find("v")->producer()->bodies()[0].graph;
  CHECK(body.inputs().size() == 3);
  CHECK(body.output_count() == 2);
}

TEST_CASE("versions and domains") {
  const Model model = graph("opset 11; opset com.microsoft 1; ir 7; x: f32[2]; y = com.microsoft::Gelu(test::Op(x))");
  CHECK(model.opset() == 11);
  CHECK(model.opset("com.microsoft") == 1);
  CHECK(model.opset("test") == 1);
  CHECK(model.ir_version() == 7);
  CHECK(graph("x: f32[2]; y = Relu(x)").opset() == 17);
}

TEST_CASE("types of inputs") {
  const Model model = graph(
      "a: f32; b: i64[]; c: sequence(f32[N]); d: optional(sequence(u8)); y = test::Op(a, b, c, d)");
  std::string types;
  for (const Value* const input : model.graph().inputs()) types += to_string(*input->type()) + " ";
  CHECK(types == "f32 i64[] sequence(f32[N]) optional(sequence(u8)) ");
}

TEST_CASE("names of any kind") {
  const Model model = graph(
      "\"x:0\": f32[2]; /a/b-1.c = Relu(\"x:0\"); %f32 = Neg(/a/b-1.c)  # a comment; no = Node(here)\n");
  CHECK(model.graph().find("x:0") != nullptr);
  CHECK(model.graph().find("/a/b-1.c") != nullptr);
  CHECK(model.graph().output(0)->name() == "f32");
}

TEST_CASE("errors say line and column") {
  CHECK(fault("x: f32[2]\ny = Relu(z)") == "line 2, column 10: there is no value 'z'");
  CHECK(fault("x: f32[2]; x = Relu(x)") == "line 1, column 12: there is a value 'x' already");
  CHECK(fault("x: f32[2]; y = Relu(x") == "line 1, column 22: expected ')', found the end");
  CHECK(fault("x: f32[2]; y = Relu(x) z = Neg(y)") == "line 1, column 24: expected a new line or ';', found 'z'");
  CHECK(fault("x: floats[2]") == "line 1, column 4: expected a dtype such as f32, found 'floats'");
  CHECK(fault("w = i8[2] {1, 300}; y = Neg(w)") == "line 1, column 15: '300' is not a value of i8");
  CHECK(fault("w = i8[2] 1.5; y = Neg(w)") == "line 1, column 11: '1.5' is not a value of i8");
  CHECK(fault("w = f32[2] {1}; y = Neg(w)") == "line 1, column 12: f32[2]: expected 2 values, found 1");
  CHECK(fault("w = f32[N] 1; y = Neg(w)").find("dims that are numbers") != std::string::npos);
  CHECK(fault("x: f32[2]; y = Relu(x); opset 13") == "line 1, column 25: 'opset' belongs before all nodes");
  CHECK(fault("x: f32[2]; w = f32[1] 1") ==
        "line 1, column 24: expected an output: there is no return, and every value is read by a node, found the end");
  CHECK(fault("x: f32[2]; y = If(x) {then_branch={ z = Neg(x); return z; return z }}") ==
        "line 1, column 59: a graph returns once");
  CHECK(fault("x: f32[2]; y = t::Op(x) {a=[1,\"b\"]}").find("of one kind") != std::string::npos);
  CHECK(fault("x: f32[2]; y = Relu(x) & z") == "line 1, column 24: '&' is not allowed here");
  CHECK(fault("x: f32[2]; y = t::Op(x) {a=\"b}").find("the quote is not closed") != std::string::npos);
  CHECK(fault("x: f32[1-2]; y = Relu(x)").find("'1-2' is not a number") != std::string::npos);
  CHECK(fault("w = f64[] 1e999; y = Neg(w)") ==
        "line 1, column 11: '1e999' is not a number within the range of double");
}

TEST_CASE("nesting is bounded, not the stack's business") {
  std::string text = "x";
  for (int i = 0; i < 5000; ++i) text = "Relu(" + text + ")";
  CHECK(fault("x: f32[2]; y = " + text).find("nested more than 100 deep") != std::string::npos);
  std::string type = "f32";
  for (int i = 0; i < 5000; ++i) type = "sequence(" + type + ")";
  CHECK(fault("x: " + type + "; y = Relu(x)").find("nested more than 100 deep") != std::string::npos);
}
