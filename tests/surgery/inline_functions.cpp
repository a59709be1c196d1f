#include <graft/surgery/inline_functions.hpp>

#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <google/protobuf/text_format.h>
#include <graft/evaluate/evaluator.hpp>
#include <graft/testing.hpp>

#include "support/protos.hpp"

using namespace graft;

namespace {

void set_default(onnx::FunctionProto& function, const char* name, float value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  set_newer(function, 11, attribute.SerializeAsString());  // attribute_proto
}

Model parse(const std::string& graph, const std::string& functions, int opset = 17) {
  onnx::ModelProto proto;
  const std::string text = "ir_version: 8 opset_import { version: " + std::to_string(opset) +
                           " } opset_import { domain: 'own' version: 1 } graph { name: 'g' " + graph + " } " +
                           functions;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  for (onnx::FunctionProto& function : *proto.mutable_functions())
    if (function.name() == "Scale") set_default(function, "factor", 3);
  return Model(std::move(proto));
}

std::string value(const std::string& field, const std::string& name, int dim = 2) {
  return field + " { name: '" + name + "' type { tensor_type { elem_type: 1 shape { dim { dim_value: " +
         std::to_string(dim) + " } } } } } ";
}
std::string node(const std::string& op, const std::string& more) {
  return "node { op_type: '" + op + "' " + more + "} ";
}
/// An attribute whose value is that of the function's attribute `reference`.
std::string by_reference(const std::string& name, const std::string& reference) {
  return "attribute { name: '" + name + "' ref_attr_name: '" + reference + "' type: FLOAT } ";
}
std::string function(const std::string& name, const std::string& more, int opset = 17) {
  return "functions { domain: 'own' name: '" + name + "' opset_import { version: " + std::to_string(opset) +
         " } opset_import { domain: 'own' version: 1 } " + more + "} ";
}
const std::string own = "domain: 'own' ";

std::vector<float> run(const Model& model, std::vector<float> x) {
  Evaluator evaluator(model.graph());
  return evaluator.run({{"x", Tensor::of(DType::f32, {2}, x)}})[0].to<float>();
}

/// a * factor, which parse() makes 3 by default.
const std::string scale = function(
    "Scale",
    "input: 'a' output: 'b' " +
        node("Constant", "name: 'k' output: 'k' " + by_reference("value_float", "factor")) +
        node("Mul", "input: 'a' input: 'k' output: 'b' "));

}  // namespace

TEST_CASE("attributes by reference have the value of the call, or the default") {
  const std::string call = own + "input: 'x' output: 'h' attribute { name: 'factor' type: FLOAT f: 5 } ";
  Model model = parse(value("input", "x") + value("output", "y") + node("Scale", call) +
                          node("Scale", own + "input: 'h' output: 'y' "),
                      scale);
  CHECK(inline_functions().run(model).changes == 3);
  CHECK(model.functions().empty());
  CHECK(run(model, {1, -2}) == std::vector<float>{15, -30});
  CHECK(model.graph().find("h") != nullptr);  // what the call had called it
  CHECK(model.commit().functions().empty());
  CHECK(verify(model).empty());
  CHECK(inline_functions().run(model).changes == 0);
}

TEST_CASE("an attribute that neither call nor function gives is absent") {
  const std::string leak = function(
      "Leak", "input: 'a' output: 'b' attribute: 'slope' " +
                  node("LeakyRelu", "input: 'a' output: 'b' " + by_reference("alpha", "slope")));
  Model model = parse(value("input", "x") + value("output", "y") + node("Leak", own + "input: 'x' output: 'y' "), leak);
  inline_functions().run(model);
  CHECK(run(model, {1, -100}) == std::vector<float>{1, -1});  // 0.01 is the operator's default
}

TEST_CASE("functions call functions, and hand out what they are given") {
  const std::string twice = function(
      "Twice", "input: 'x' output: 'y' output: 'x' output: 'y' " + node("Scale", own + "input: 'x' output: 'x1' ") +
                   node("Scale", own + "input: 'x1' output: 'y' "));
  Model model = parse(value("input", "x") + value("output", "p") + value("output", "q") + value("output", "r") +
                          node("Twice", own + "input: 'x' output: 'p' output: 'q' output: 'r' "),
                      scale + twice);
  inline_functions().run(model);
  Evaluator evaluator(model.graph());
  const std::vector<Tensor> out = evaluator.run({{"x", Tensor::of(DType::f32, {2}, {1.0F, -2.0F})}});
  CHECK(out[0].to<float>() == std::vector<float>{9, -18});
  CHECK(out[1].to<float>() == std::vector<float>{1, -2});
  CHECK(out[2].to<float>() == out[0].to<float>());
  CHECK(verify(model).empty());
}

TEST_CASE("inputs that a call does not give are absent, in bodies too") {
  const std::string operands = "input: 'a' input: 'least' input: 'most' output: 'b' ";
  const std::string clip = function("Bounded", operands + node("Clip", operands));
  Model model = parse(value("input", "x") + "initializer { name: 'm' data_type: 1 float_data: 1 } " +
                          value("output", "y") + node("Bounded", own + "input: 'x' input: '' input: 'm' output: 'y' "),
                      clip);
  inline_functions().run(model);
  CHECK(run(model, {5, -7}) == std::vector<float>{1, -7});
}

TEST_CASE("bodies of functions keep their names apart from those of the model") {
  // What the body calls x is its own; it captures a, which the caller calls x.
  const auto branch = [](const std::string& name, const std::string& op) {
    return "attribute { name: '" + name + "' type: GRAPH g { name: 'b' output { name: 'x' } " +
           node("Scale", own + "input: 'a' output: 't' ") + node(op, "name: 'n' input: 't' output: 'x' ") + "} } ";
  };
  const std::string choose =
      function("Choose", "input: 'c' input: 'a' output: 'b' " +
                             node("If", "input: 'c' output: 'b' " + branch("then_branch", "Relu") +
                                            branch("else_branch", "Neg")));
  Model model = parse(value("input", "x") + "initializer { name: 'c' data_type: 9 int32_data: 0 } " +
                          value("output", "y") + node("Choose", own + "input: 'c' input: 'x' output: 't' ") +
                          node("Choose", own + "input: 'c' input: 't' output: 'y' "),
                      scale + choose);
  inline_functions().run(model);
  CHECK(run(model, {1, -2}) == std::vector<float>{9, -18});
  model.commit();
  CHECK(verify(model).empty());
  CHECK(run(Model(model.proto()), {1, -2}) == std::vector<float>{9, -18});
  std::set<std::string> names;
  for (const Graph* const scope : model.scopes())
    for (const Node& each : scope->nodes()) {
      if (!each.name().empty()) CHECK(names.insert(std::string(each.name())).second);
      for (const Value& output : each.outputs()) CHECK(names.insert(std::string(output.name())).second);
    }
}

TEST_CASE("calls in bodies are replaced") {
  const auto branch = [](const std::string& name, const std::string& op) {
    return "attribute { name: '" + name + "' type: GRAPH g { name: 'b' output { name: '" + op + "' } " +
           node(op, (op == "Scale" ? own : "") + "input: 'x' output: '" + op + "' ") + "} } ";
  };
  Model model = parse(value("input", "x") + "initializer { name: 'c' data_type: 9 int32_data: 1 } " +
                          value("output", "y") +
                          node("If", "input: 'c' output: 'y' " + branch("then_branch", "Scale") +
                                         branch("else_branch", "Neg")),
                      scale);
  inline_functions().run(model);
  CHECK(run(model, {1, -2}) == std::vector<float>{3, -6});
}

TEST_CASE("model and functions come to share the newest opset") {
  const std::string old = function(
      "Lone", "input: 'a' output: 'b' " +
                  node("Unsqueeze", "input: 'a' output: 'm' attribute { name: 'axes' type: INTS ints: 0 } ") +
                  node("Squeeze", "input: 'm' output: 'b' attribute { name: 'axes' type: INTS ints: 0 } "),
      11);
  const std::string graph = value("input", "x") + value("output", "y") + node("Lone", own + "input: 'x' output: 'h' ");
  Model newer = parse(graph + node("Scale", own + "input: 'h' output: 'y' "), old + scale, 9);
  inline_functions().run(newer);
  CHECK(newer.opset() == 17);
  CHECK(run(newer, {1, -2}) == std::vector<float>{3, -6});
  CHECK(verify(newer).empty());
}

TEST_CASE("a body is raised by the shapes of the model's operators") {
  Model model = parse(value("input", "x") + value("output", "y", 4) +
                          node("Soft", "domain: 'own' input: 'x' output: 'y' "),
                      function("Soft",
                               "input: 'x' output: 'y' " + node("Twice", "domain: 'own' input: 'x' output: 'h' ") +
                                   node("Softmax", "input: 'h' output: 'y' attribute { name: 'axis' type: INT i: 0 } "),
                               11));
  Context context;
  context.operators.add("own::Twice", {.shape = [](InferContext& c) {
    c.set(0, c.dtype(0), {Dim(2 * c.shape(0)[0].value())});
    return Verdict::yes();
  }});
  inline_functions().run(model, context);  // of unknown rank, Softmax-11 becomes four nodes
  CHECK(model.functions().empty());
  CHECK(model.graph().last_node()->is("Softmax"));
  CHECK(model.graph().last_node()->attr<std::int64_t>("axis") == -1);
}

TEST_CASE("of functions of one name the overload is called") {
  onnx::ModelProto proto = parse(value("input", "x") + value("output", "y") +
                                     node("Scale", own + "input: 'x' output: 'y' "),
                                 scale + scale).proto();
  onnx::FunctionProto& other = *proto.mutable_functions(1);
  other.mutable_node(0)->mutable_attribute(0)->clear_ref_attr_name();
  other.mutable_node(0)->mutable_attribute(0)->set_f(7);
  set_newer(other, 13, "other");
  set_newer(*proto.mutable_graph()->mutable_node(0), 8, "other");
  Model model(proto);
  inline_functions().run(model);
  CHECK(run(model, {1, -2}) == std::vector<float>{7, -14});
}

TEST_CASE("functions that call themselves, or too often, are errors that leave the model alone") {
  const std::string call_of_a = node("A", own + "input: 'x' output: 'y' ");
  const std::string graph = value("input", "x") + value("output", "y") + call_of_a;
  const auto calling = [](const std::string& name, const std::string& callee, int times) {
    std::string body;
    for (int i = 0; i < times; ++i)
      body += node(callee, own + "input: 'v" + std::to_string(i) + "' output: 'v" + std::to_string(i + 1) + "' ");
    return function(name, "input: 'v0' output: 'v" + std::to_string(times) + "' " + body);
  };
  Model circle = parse(graph, calling("A", "B", 1) + calling("B", "A", 1));
  CHECK_THROWS_WITH(inline_functions().run(circle), Catch::Contains("calls itself"));
  CHECK(circle.functions().size() == 2);
  CHECK(circle.graph().nodes().size() == 1);
  std::string doubling = calling("A", "F0", 2);
  for (int i = 0; i < 40; ++i)
    doubling += calling("F" + std::to_string(i), i == 39 ? "Neg" : "F" + std::to_string(i + 1), 2);
  Model huge = parse(graph, doubling);
  CHECK_THROWS_WITH(inline_functions().run(huge), Catch::Contains("too many nodes"));
}

TEST_CASE("the nodes of the model are not counted where functions amount to too many") {
  std::string graph = value("input", "x") + value("output", "y");
  for (int i = 0; i < 9; ++i) graph += node("Neg", "input: 'x' output: 'y" + std::to_string(i) + "' ");
  graph += node("Scale", own + "input: 'x' output: 'h' ") + node("Scale", own + "input: 'h' output: 'y' ");
  Model model = parse(graph, scale);
  CHECK_THROWS_WITH(detail::FunctionInliner(model, 3).run(), Catch::Contains("too many nodes"));
  CHECK(detail::FunctionInliner(model, 4).run() == 2);
  CHECK(model.graph().nodes().size() == 9 + 4);
}

TEST_CASE("domains that functions import come in the order of the file") {
  std::string calls = value("input", "v0") + value("output", "v9"), functions;
  std::vector<std::string> domains;
  for (int i = 0; i < 9; ++i) {
    domains.push_back("d" + std::to_string(i * 7 % 9));
    const std::string name = "F" + std::to_string(i);
    functions += function(name, "input: 'a' output: 'b' opset_import { domain: '" + domains.back() +
                                    "' version: 1 } " + node("Neg", "input: 'a' output: 'b' "));
    calls += node(name, own + "input: 'v" + std::to_string(i) + "' output: 'v" + std::to_string(i + 1) + "' ");
  }
  Model model = parse(calls, functions);
  inline_functions().run(model);
  std::vector<std::string> imported;
  for (const onnx::OperatorSetIdProto& import : model.commit().opset_import()) imported.push_back(import.domain());
  domains.insert(domains.begin(), "");  // and own no more
  CHECK(imported == domains);
}

TEST_CASE("a new domain has the version of a function with operators of it, whichever comes first") {
  const auto importing = [](const std::string& name, int version, const std::string& body) {
    return function(name, "input: 'a' output: 'b' opset_import { domain: 'new' version: " + std::to_string(version) +
                              " } " + body);
  };
  const std::string one = importing("One", 1, node("Op", "domain: 'new' input: 'a' output: 'b' ")),
                    two = importing("Two", 2, node("Neg", "input: 'a' output: 'b' ")),
                    three = importing("Three", 3, node("Op", "domain: 'new' input: 'a' output: 'b' "));
  const std::string calls = value("input", "x") + value("output", "y") + node("One", own + "input: 'x' output: 'h' ") +
                            node("Two", own + "input: 'h' output: 'y' ");
  for (const std::string& functions : {one + two, two + one}) {
    Model model = parse(calls, functions);
    inline_functions().run(model);
    CHECK(model.opset("new") == 1);
  }
  Model apart = parse(calls + node("Three", own + "input: 'y' output: 'z' "), two + three + one);
  CHECK_THROWS_WITH(inline_functions().run(apart),
                    "pass 'inline_functions': opset_import 'new' of function 'One': imports another version than the "
                    "model");
}
