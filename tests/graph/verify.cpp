#include <graft/graph/verify.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

#include "graph/infer/told.hpp"
#include "support/data.hpp"

using namespace graft;

namespace {

std::vector<std::string> problems(Graph& graph) {
  std::vector<std::string> texts;
  for (const Problem& problem : verify(graph)) texts.push_back(problem.text);
  return texts;
}

using Texts = std::vector<std::string>;

/// The problems of a single node of these inputs.
Texts of_node(std::string_view op, std::initializer_list<std::string_view> inputs, const Attributes& attributes = {},
              int opset = 17, std::size_t outputs = 1) {
  Builder build(opset);
  std::vector<Value*> values;
  for (const std::string_view type : inputs) {
    const std::string name = "i" + std::to_string(values.size());
    values.push_back(type.empty() ? nullptr : &build.graph().add_input(name, type_of(type)));
  }
  build.graph().insert(op, values, outputs, attributes);
  return problems(build.graph());
}

onnx::GraphProto relu_body(const std::string& input, const std::string& output) {
  onnx::GraphProto body;
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type("Relu");
  node.add_input(input);
  node.add_output(output);
  body.add_output()->set_name(output);
  return body;
}

}  // namespace

TEST_CASE("a sound graph has no problems") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {1, 3, 8, 8});
  Value& w = build.constant(Tensor(DType::f32, {4, 3, 3, 3}), "w");
  Value& condition = build.input("condition", DType::boolean, {});
  Value& conv = build.op("Conv", {&x, &w}, {{"pads", Ints{1, 1, 1, 1}}});
  build.graph().rename(conv, "conv");
  const Attributes branches = {{"then_branch", relu_body("conv", "a")}, {"else_branch", relu_body("conv", "b")}};
  build.output(build.op("If", {&condition}, branches), "y");
  Model model = build.build();
  infer_shapes(model.graph());
  CHECK(problems(model.graph()).empty());
  CHECK(verify(model).empty());
}

TEST_CASE("verifying changes nothing") {
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {1, 3})});
  const std::uint64_t edits = build.graph().model().edit_count();
  verify(build.graph());
  CHECK(build.graph().model().edit_count() == edits);
  CHECK(y.type() == nullptr);
}

TEST_CASE("operators and domains that are not there") {
  CHECK(of_node("Gelu", {"f32[2]"}) == Texts{"Gelu is not an operator of opset 17"});
  CHECK(of_node("NoSuch", {"f32[2]"}) == Texts{"NoSuch is not an operator of opset 17"});
  CHECK(of_node("Upsample", {"f32[2]", "f32[1]"}) == Texts{"Upsample is deprecated in opset 17"});
  CHECK(of_node("my::Op", {"f32[2]"}) == Texts{"its domain 'my' is not imported"});
}

TEST_CASE("an opset that is newer than the known ones") {
  const Texts newer{"imports opset 99; the newest known opset is " + std::to_string(schema::newest_opset)};
  CHECK(of_node("NoSuch", {"f32[2]"}, {}, 99) == newer);
  CHECK(of_node("Relu", {"f32[2]"}, {}, schema::newest_opset).empty());
  Builder build(17);
  build.output(build.op("Relu", {&build.input("x", DType::f32, {1})}), "y");
  onnx::ModelProto proto = build.build().commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_name("F");
  function.set_domain("own");
  function.add_opset_import()->set_version(99);
  Model model(proto);
  const std::vector<Problem> found = verify(model);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == newer[0]);
  CHECK(found[0].graph == model.functions()[0]);
}

TEST_CASE("a model without outputs") {
  Builder build(17);
  build.op("Relu", {&build.input("x", DType::f32, {1})});
  Model model = build.build();
  CHECK(problems(model.graph()).empty());
  const std::vector<Problem> found = verify(model);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "has no outputs");
}

TEST_CASE("inputs and outputs that an operator does not take") {
  CHECK(of_node("Relu", {"f32[2]", "f32[2]"}) == Texts{"takes no 2 inputs"});
  CHECK(of_node("Add", {"f32[2]"}) == Texts{"takes no 1 inputs"});
  CHECK(of_node("Add", {"", "f32[2]"}) == Texts{"lacks input 0, A"});
  CHECK(of_node("Clip", {"f32[2]", "", "f32[]"}).empty());
  CHECK(of_node("Relu", {"f32[2]"}, {}, 17, 2) == Texts{"has no 2 outputs"});
}

TEST_CASE("what opsets 25 and 26 brought is known, and was not there before") {
  const std::initializer_list<std::string_view> qkv = {"f32[1,2,3,4]", "f32[1,2,3,4]", "f32[1,2,3,4]"};
  CHECK(of_node("Attention", qkv, {{"left_window_size", 2}}, 25).empty());
  CHECK(of_node("Attention", qkv, {{"left_window_size", 2}}, 24) ==
        Texts{"has the attribute 'left_window_size', which Attention-24 does not have"});
  CHECK(of_node("CumProd", {"f32[2]", "i64[]"}, {}, 26).empty());
  CHECK(of_node("CumProd", {"f32[2]", "i64[]"}, {}, 25) == Texts{"CumProd is not an operator of opset 25"});
  CHECK(of_node("BitCast", {"f32[2]"}, {{"to", DType::i32}}, 26).empty());
  CHECK(of_node("BitCast", {"f32[2]"}, {}, 26) == Texts{"lacks the attribute 'to'"});
}

TEST_CASE("attributes that an operator does not have, lacks, or has of another kind") {
  CHECK(of_node("Relu", {"f32[2]"}, {{"beta", 1}}) == Texts{"has the attribute 'beta', which Relu-14 does not have"});
  CHECK(of_node("Concat", {"f32[2]"}) == Texts{"lacks the attribute 'axis'"});
  CHECK(of_node("LeakyRelu", {"f32[2]"}, {{"alpha", 1}}) == Texts{"the attribute 'alpha' is int, not float"});
  const Attributes twice = {{"alpha", 1.0f}, {"alpha", 2.0f}};
  CHECK(of_node("LeakyRelu", {"f32[2]"}, twice) == Texts{"has the attribute 'alpha' twice"});
}

TEST_CASE("dtypes that an operator does not take, or that differ where they must not") {
  CHECK(of_node("Relu", {"string[2]"}) == Texts{"input 0 ('i0') is string, which Relu-14 does not take there"});
  CHECK(of_node("Add", {"f32[2]", "f16[2]"}) == Texts{"input 1 ('i1') is f16, where an input before is f32"});
  CHECK(of_node("Where", {"bool[2]", "f32[2]", "f32[2]"}).empty());
}

TEST_CASE("shapes that do not fit, and outputs declared otherwise") {
  CHECK(of_node("MatMul", {"f32[2,3]", "f32[4,5]"}) == Texts{"the matrices do not fit"});
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {1, 3})});
  build.graph().set_type(y, type_of("f32[1,4]"));
  CHECK(problems(build.graph()) == Texts{"a value is declared with extent 4, but 3 is inferred, at axis 1"});
}

TEST_CASE("an attribute of the wrong kind does not throw where inference reads it") {
  CHECK(of_node("Flatten", {"f32[2]"}, {{"axis", "1"}}).size() == 2);
}

TEST_CASE("nodes of one name") {
  Builder build(17);
  Value& x = build.input("x", DType::f32);
  for (int i = 0; i < 2; ++i) build.graph().rename(*build.op("Relu", {&x}).producer(), "same");
  CHECK(problems(build.graph()) == Texts{"has the name of another node"});
}

TEST_CASE("names of bodies clash with those around them, at any depth, and not with those of other bodies") {
  const auto of_body = [](const onnx::GraphProto& innermost) {
    Builder build(17);
    build.input("x", DType::f32, {2});
    Value& condition = build.input("condition", DType::boolean, {});
    onnx::GraphProto outer = relu_body("x", "a");
    onnx::NodeProto& branch = *outer.add_node();
    branch.set_op_type("If");
    branch.add_input("condition");
    branch.add_output("b");
    for (const char* const name : {"then_branch", "else_branch"}) {
      onnx::AttributeProto& attribute = *branch.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      *attribute.mutable_g() = name[0] == 't' ? innermost : relu_body("a", "e");
    }
    build.op("If", {&condition}, {{"then_branch", outer}, {"else_branch", relu_body("x", "d")}});
    return problems(build.graph());
  };
  CHECK(of_body(relu_body("a", "f")).empty());
  for (const char* const other : {"d", "e"}) CHECK(of_body(relu_body("a", other)).empty());
  for (const char* const around : {"x", "a", "b"})
    CHECK(of_body(relu_body(around[0] == 'x' ? "a" : "x", around)) ==
          Texts{"defines '" + std::string(around) + "', which an enclosing scope defines"});
  Builder build(17);
  build.input("x", DType::f32, {2});
  Value& condition = build.input("condition", DType::boolean, {});
  build.input("w", DType::f32, {2});
  build.op("If", {&condition}, {{"then_branch", relu_body("w", "x")}, {"else_branch", relu_body("x", "d")}});
  Graph& body = *build.graph().last_node()->bodies()[0].graph;
  CHECK(problems(body) == Texts{"defines 'x', which an enclosing scope defines"});  // verified by itself too
}

TEST_CASE("bodies and functions are verified as well") {
  Builder build(17);
  build.input("x", DType::f32);
  Value& condition = build.input("condition", DType::boolean, {});
  onnx::GraphProto bad = relu_body("x", "b");
  bad.mutable_node(0)->add_input("x");
  build.op("If", {&condition}, {{"then_branch", relu_body("x", "a")}, {"else_branch", bad}});
  const std::vector<Problem> found = verify(build.graph());
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "takes no 2 inputs");
  CHECK(found[0].graph->owner() == build.graph().last_node());
}

TEST_CASE("the models of the test data go through", "[data]") {
  TEST_DATA(folder, "models");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    Model model = Model::load(entry.path());
    infer_shapes(model.graph());
    for (const Problem& problem : verify(model)) {
      INFO(entry.path() << ": " << to_string(problem));
      const bool known = problem.text == "has the name of another node";  // exporters write such
      CHECK(known);
    }
  }
}

TEST_CASE("axes out of range, sizes that are not positive, steps of 0") {
  const std::string axis = "axis is out of range";
  for (const char* const op : {"Softmax", "LogSoftmax", "Hardmax", "LpNormalization"}) {
    INFO(op);
    CHECK(of_node(op, {"f32[2,3]"}, {{"axis", 2}}) == Texts{axis});
    CHECK(of_node(op, {"f32[2,3]"}, {{"axis", -3}}) == Texts{axis});
    CHECK(of_node(op, {"f32[2,3]"}, {{"axis", -2}}).empty());
    CHECK(of_node(op, {"f32"}, {{"axis", 7}}).empty());
  }
  CHECK(of_node("Softmax", {"f32[2,3]"}, {{"axis", 2}}, 11).empty());  // before 13, all before it are the batch
  CHECK(of_node("LayerNormalization", {"f32[2,3]", "f32[3]"}, {{"axis", 2}}) == Texts{axis});
  CHECK(of_node("ScatterElements", {"f32[2]", "i64[1]", "f32[1]"}, {{"axis", 1}}) == Texts{axis});
  CHECK(of_node("GatherElements", {"f32[2]", "i64[1]"}, {{"axis", 1}}) == Texts{axis});
  CHECK(of_node("LRN", {"f32[1,2,4,4]"}, {{"size", -1}}) == Texts{"size is not positive"});
  for (const char* const op : {"SpaceToDepth", "DepthToSpace"})
    CHECK(of_node(op, {"f32[1,4,4,4]"}, {{"blocksize", -1}}) == Texts{"blocksize is not positive"});
  CHECK(of_node("MaxPool", {"f32[1,4,4,4]"}, {{"kernel_shape", Ints{2, -2}}}) ==
        Texts{"kernel_shape, strides, dilations or pads do not fit the spatial axes"});
  CHECK(of_node("MaxRoiPool", {"f32[1,4,4,4]", "f32[2,5]"}, {{"pooled_shape", Ints{2, 0}}}) ==
        Texts{"pooled_shape is not positive"});

  const auto with_constants = [](std::string_view op, std::initializer_list<Ints> constants) {
    Builder build(17);
    std::vector<Value*> inputs{&build.input("x", DType::f32, {5, 6})};
    for (const Ints& values : constants) {
      const auto count = static_cast<std::int64_t>(values.size());
      inputs.push_back(&build.constant(Tensor::of<std::int64_t>({count}, std::span<const std::int64_t>(values)),
                                       "c" + std::to_string(inputs.size())));
    }
    build.graph().insert(op, inputs, 1);
    return problems(build.graph());
  };
  CHECK(with_constants("Slice", {{0}, {1}, {0}, {0}}) == Texts{"a step is 0"});
  CHECK(with_constants("Slice", {{0}, {1}, {2}, {1}}) == Texts{"an axis is out of range or named twice"});
  CHECK(with_constants("Slice", {{0}, {1}, {-1}, {-1}}).empty());
  CHECK(with_constants("CumSum", {{2}}) == Texts{axis});
  CHECK(with_constants("CumSum", {{-2}}).empty());
  CHECK(with_constants("Tile", {{1, -1}}) == Texts{"a repeat is negative"});
}

TEST_CASE("functions of one domain and name differ in their overload") {
  onnx::ModelProto proto;
  proto.set_ir_version(10);
  for (const char* const domain : {"", "own"}) {
    onnx::OperatorSetIdProto& opset = *proto.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(domain[0] == '\0' ? 17 : 1);
  }
  const auto overload = [](google::protobuf::Message& message, int number, const char* text) {
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number)->assign(text);
  };
  const auto node = [](onnx::NodeProto& made, const char* domain, const char* op) {
    made.set_domain(domain);
    made.set_op_type(op);
    made.add_input("a");
    made.add_output("b");
  };
  proto.mutable_graph()->add_input()->set_name("a");
  proto.mutable_graph()->add_output()->set_name("b");
  node(*proto.mutable_graph()->add_node(), "own", "F");
  for (int i = 0; i < 3; ++i) {
    onnx::FunctionProto& function = *proto.add_functions();
    function.set_domain(i == 2 ? "other" : "own");
    function.set_name("F");
    function.add_input("a");
    function.add_output("b");
    for (const onnx::OperatorSetIdProto& opset : proto.opset_import()) *function.add_opset_import() = opset;
    node(*function.add_node(), i == 0 ? "own" : "", i == 0 ? "F" : "Neg");
  }
  // The first calls the second, which has an overload.
  overload(*proto.mutable_functions(0)->mutable_node(0), 8, "second");
  overload(*proto.mutable_functions(1), 13, "second");
  Model sound(proto);
  CHECK(verify(sound).empty());

  proto.mutable_functions(2)->set_domain("own");
  Model model(proto);
  const std::vector<Problem> found = verify(model);
  REQUIRE(found.size() == 1);
  CHECK(found[0].graph == model.functions()[2]);
  CHECK(found[0].node == nullptr);
  CHECK(found[0].text == "has the domain, name and overload of another function");
}

TEST_CASE("functions that call themselves") {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::OperatorSetIdProto& own = *proto.add_opset_import();
  own.set_domain("own");
  own.set_version(1);
  const auto call = [](onnx::NodeProto& node, const std::string& op, const std::string& output) {
    node.set_op_type(op);
    node.set_domain("own");
    node.set_name("call of " + op);
    node.add_input("a");
    node.add_output(output);
  };
  const auto add = [&](const std::string& name, const std::vector<std::string>& calls) {
    onnx::FunctionProto& function = *proto.add_functions();
    function.set_domain("own");
    function.set_name(name);
    function.add_input("a");
    function.add_output("o0");
    *function.add_opset_import() = proto.opset_import(0);
    *function.add_opset_import() = own;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      call(*function.add_node(), calls[i], "o" + std::to_string(i));
    }
  };
  proto.mutable_graph()->add_input()->set_name("a");
  proto.mutable_graph()->add_output()->set_name("o");
  const auto found = [&](const std::string& entry) {
    call(*proto.mutable_graph()->add_node(), entry, "o");
    Model model(proto);
    std::vector<std::string> texts;
    for (const Problem& problem : verify(model)) {
      REQUIRE(problem.node != nullptr);
      texts.push_back(std::string(problem.graph->name()) + ", " + std::string(problem.node->name()) + ": " +
                      problem.text);
    }
    return texts;
  };
  const auto text = [](const std::string& in, const std::string& of) {
    return in + ", call of " + of + ": calls the function '" + of +
           "' while it is running: functions cannot call themselves";
  };
  SECTION("at once") {
    add("F", {"F"});
    CHECK(found("F") == Texts{text("F", "F")});
  }
  SECTION("through another, which calls one more") {
    add("F", {"G", "H"});
    add("H", {"K"});
    add("G", {"H", "F"});
    add("K", {"Leaf"});
    add("Leaf", {});
    proto.mutable_functions(4)->mutable_output(0)->assign("a");
    CHECK(found("F") == Texts{text("G", "F")});
  }
  SECTION("in a body") {
    add("F", {"Leaf"});
    add("Leaf", {});
    proto.mutable_functions(1)->mutable_output(0)->assign("a");
    onnx::NodeProto& branch = *proto.mutable_functions(0)->add_node();
    branch.set_op_type("If");
    branch.add_input("a");
    branch.add_output("b");
    onnx::GraphProto inner;
    call(*inner.add_node(), "F", "inner");
    inner.add_output()->set_name("inner");
    *branch.add_attribute() = Attribute("then_branch", inner).proto();
    inner.mutable_node(0)->set_output(0, "other");
    inner.mutable_output(0)->set_name("other");
    inner.mutable_node(0)->set_op_type("Leaf");
    *branch.add_attribute() = Attribute("else_branch", inner).proto();
    CHECK(found("F") == Texts{text("", "F")});
  }
}

TEST_CASE("what is wrong in a branch that is not taken is not a problem") {
  Builder build(18);
  Value& size = build.input("size", DType::i64, {5});
  const auto parts = [](const std::string& prefix, int count) {
    onnx::GraphProto body;
    onnx::NodeProto& node = *body.add_node();
    node.set_op_type("Split");
    node.add_input("size");
    *node.add_attribute() = Attribute("num_outputs", count).proto();
    for (int i = 0; i < count; ++i) node.add_output(prefix + std::to_string(i));
    body.add_output()->set_name(prefix + "0");
    return body;
  };
  // 4 parts of 5 elements: parts of 2, and nothing is left for the last.
  const Attributes branches = {{"then_branch", parts("then", 4)}, {"else_branch", parts("else", 5)}};
  Value& wanted = build.constant(Tensor::scalar<std::int64_t>(4), "wanted");
  Value& condition = build.op("Equal", {&build.op("Size", {&size}), &wanted});
  build.output(build.op("If", {&condition}, branches), "y");
  std::vector<std::string> told;
  InferOptions options;
  options.problem = [&told](const Node&, const Reason& reason) { told.push_back(to_string(reason)); };
  infer_shapes(build.graph(), options);
  CHECK(told.empty());
  CHECK(problems(build.graph()).empty());
  build.graph().set_initializer(wanted, Tensor::scalar<std::int64_t>(5));  // the other branch
  CHECK(problems(build.graph()) == Texts{"the parts do not add up to the input"});
  CHECK(build.graph().set_input(*build.graph().last_node(), 0, &build.input("unknown", DType::boolean, {})));
  CHECK(problems(build.graph()) == Texts{"the parts do not add up to the input"});
}

TEST_CASE("the faults of the test data are found, and only those", "[data]") {
  TEST_DATA(folder, "faults");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("verify_", 0) != 0) continue;
    INFO(name);
    Model model = Model::load(entry.path());
    infer_shapes(model.graph());
    const bool sound = name == "verify_false_alarm.onnx";
    CHECK(verify(model).empty() == sound);
  }
}
