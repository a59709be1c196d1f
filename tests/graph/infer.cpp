#include <graft/graph/infer.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/infer/conv.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/verify.hpp>

#include "graph/infer/told.hpp"

using namespace graft;

namespace {

std::string type_text(const Value& value) { return value.type() != nullptr ? to_string(*value.type()) : "none"; }

std::string text(const Verdict& verdict) { return verdict ? "yes" : to_string(verdict.reason()); }

/// What an inference replaces.
std::vector<std::string> contradictions(Graph& graph) {
  std::vector<std::string> told;
  InferOptions options;
  options.contradiction = [&told](const Contradiction& one) { told.push_back(to_string(one)); };
  infer_shapes(graph, std::move(options));
  return told;
}

Model written_and_read(Builder& build) { return Model(onnx::ModelProto(build.graph().model().commit())); }

}  // namespace

TEST_CASE("the types of all values follow from the inputs") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim("N"), 3, 8, 8});
  Value& conv = build.op("Conv", {&x, &build.constant(Tensor(DType::f32, {4, 3, 3, 3}), "w")});
  Value& relu = build.op("Relu", {&conv});
  Value& pooled = build.op("GlobalAveragePool", {&relu});
  Value& flat = build.op("Flatten", {&pooled});
  infer_shapes(build.graph());
  CHECK(type_text(conv) == "f32[N,4,6,6]");
  CHECK(type_text(relu) == "f32[N,4,6,6]");
  CHECK(type_text(pooled) == "f32[N,4,1,1]");
  CHECK(type_text(flat) == "f32[N,4]");
}

TEST_CASE("a target that is computed from a shape is followed") {
  Builder build(13);
  Value& x = build.input("x", DType::f32, {Dim("N"), 3, 4});
  Value& zero = build.constant(Tensor::of<std::int64_t>({1}, {0}), "zero");
  Value& rest = build.constant(Tensor::of<std::int64_t>({1}, {-1}), "rest");
  Value& batch = build.op("Gather", {&build.op("Shape", {&x}), &zero});
  Value& y = build.op("Reshape", {&x, &build.op("Concat", {&batch, &rest}, {{"axis", 0}})});
  infer_shapes(build.graph());
  CHECK(type_text(y) == "f32[N,12]");
}

TEST_CASE("what is declared adds what does not follow, and is filled in") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim("N"), 3});
  Value& y = build.op("NonZero", {&x});
  Value& z = build.op("Relu", {&y});
  Value& u = build.op("my.domain::Unknown", {&x});
  build.graph().set_type(y, type_of("i64[?,5]"));
  build.graph().set_type(z, type_of("i64[M,K]"));
  build.graph().set_type(u, type_of("f32[N,7]"));
  const std::vector<std::string> told = contradictions(build.graph());
  CHECK(type_text(y) == "i64[2,5]");
  CHECK(type_text(z) == "i64[2,5]");
  CHECK(type_text(u) == "f32[N,7]");
  CHECK(told.empty());
}

TEST_CASE("a type that cannot be is reported, and replaced by what follows") {
  const auto problem = [](std::string_view declared, bool is_output = false) {
    Builder build(17);
    Value& y = build.op("Relu", {&build.input("x", DType::f32, {2, 3})});
    build.graph().declare_type(y, type_of(declared));
    if (is_output) build.output(y, "y");
    std::string reported;
    InferOptions options;
    options.problem = [&](const Node& node, const Reason& reason) {
      CHECK(&node == y.producer());
      reported = to_string(reason);
    };
    std::vector<std::string> told;
    options.contradiction = [&](const Contradiction& one) {
      CHECK(one.value == &y);
      told.push_back(to_string(one.declared) + " " + to_string(one.inferred));
    };
    for (int i = 0; i < 2; ++i) infer_shapes(build.graph(), options);
    CHECK(type_text(y) == "f32[2,3]");
    CHECK(told.size() == (reported.empty() ? 0 : 1));
    if (!told.empty()) CHECK(told[0] == to_string(type_of(declared)) + " f32[2,3]");
    return reported;
  };
  CHECK(problem("f32[2,4]") == "a value is declared with extent 4, but 3 is inferred, at axis 1");
  CHECK(problem("f32[2]") == "a value is declared with rank 1, but rank 2 is inferred");
  CHECK(problem("f16[2,3]") == "a value is declared with another dtype than the inferred one");
  CHECK(problem("seq(f32[2,3])") == "a value is declared with another kind of type than the inferred one");
  CHECK(problem("f32[2,3]") == "");
  CHECK(problem("f32[2,4]", true) == "a value is declared with extent 4, but 3 is inferred, at axis 1");
}

TEST_CASE("a number that is declared where a symbol of the inputs follows is replaced") {
  const auto inferred = [](std::string_view op, std::string_view declared) {
    Builder build(17);
    Value& x = build.input("x", DType::f32, {Dim("N"), 1, Dim("H"), 8});
    Value& w = build.constant(Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4}), "w");
    Value& twice = build.constant(Tensor::of<std::int64_t>({2}, {-1, 4}), "twice");
    std::vector<Value*> inputs{&x};
    if (op == "Conv") inputs.push_back(&w);
    if (op == "Reshape") inputs.push_back(&twice);
    Value& y = *build.graph().insert(op, inputs, 1).output(0);
    Value& z = build.op("Neg", {&y});
    for (Value* const value : {&y, &z}) build.graph().declare_type(*value, type_of(declared));
    const std::vector<std::string> told = contradictions(build.graph());
    CHECK(type_text(y) == type_text(z));
    CHECK(contradictions(build.graph()).empty());
    return type_text(y) + (told.size() == 2 ? " told" : told.size() == 1 ? " told once" : "");
  };
  CHECK(inferred("Relu", "f32[1,1,9,8]") == "f32[N,1,H,8] told");
  CHECK(inferred("Relu", "f32[N,1,9,8]") == "f32[N,1,H,8] told");
  CHECK(inferred("Relu", "f32[N,?,M,8]") == "f32[N,1,H,8]");  // M is not a symbol of an input
  CHECK(inferred("Relu", "f32[N,1,N,8]") == "f32[N,1,H,8] told");
  CHECK(inferred("Relu", "f32[N,1,H,8]") == "f32[N,1,H,8]");
  // No symbol follows for these, but extents that depend on symbols.
  CHECK(inferred("Conv", "f32[N,1,8,7]") == "f32[N,1,unk__0,7] told");
  CHECK(inferred("Conv", "f32[N,1,half,7]") == "f32[N,1,half,7]");
  CHECK(inferred("Reshape", "f32[18,4]") == "f32[unk__0,4] told");
}

TEST_CASE("a symbol is declared rightly of an extent that is unknown") {
  Builder build(17);
  Value& past = build.input("past", DType::f32, {Dim("B"), Dim("P"), 4});
  Value& x = build.input("x", DType::f32, {Dim("B"), Dim("S"), 4});
  build.input("mask", DType::f32, {Dim("B"), Dim("T")});
  Value& shape = build.constant(Tensor::of<std::int64_t>({3}, {0, -1, 2}), "shape");
  Value& all = build.op("Concat", {&past, &x}, {{"axis", 1}});
  Value& halves = build.op("Reshape", {&x, &shape});
  build.output(build.op("Neg", {&all}), "y");
  build.output(build.op("Neg", {&halves}), "z");
  build.graph().declare_type(*build.graph().find("y"), type_of("f32[B,T,4]"));
  build.graph().declare_type(*build.graph().find("z"), type_of("f32[B,S,2]"));
  CHECK(contradictions(build.graph()).empty());
  CHECK(type_text(*build.graph().find("y")) == "f32[B,T,4]");
  CHECK(type_text(*build.graph().find("z")) == "f32[B,S,2]");
}

TEST_CASE("an initializer has the type of its tensor, whatever is declared for it") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {1});
  Value& k = build.constant(Tensor::of<float>({2}, {1, 2}), "k");
  Value& free = build.constant(Tensor::of<float>({2}, {1, 2}), "free");
  build.output(build.op("Sum", {&x, &k, &free}), "y");
  build.graph().declare_type(k, type_of("f32[7]"));
  build.graph().declare_type(free, type_of("f32[A]"));
  Model model = written_and_read(build);
  REQUIRE(model.graph().proto()->value_info_size() == 2);
  Value& read = *model.graph().find("k");
  CHECK(to_string(read.shape()) == "[2]");
  CHECK(contradictions(model.graph()) == std::vector<std::string>{"'k' is declared as f32[7], but f32[2] is inferred"});
  CHECK(type_text(*model.graph().find("y")) == "f32[2]");
  CHECK(contradictions(model.graph()).empty());
  for (const onnx::ValueInfoProto& info : model.commit().graph().value_info()) CHECK(info.name() != "k");
}

TEST_CASE("what is declared falsely goes from the file, except outputs of the graph") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim("N"), 3});
  Value& h = build.op("Relu", {&x});
  Value& y = build.op("Neg", {&h});
  build.output(y, "y");
  build.graph().declare_type(h, type_of("f32[4,3]"));
  build.graph().declare_type(y, type_of("f32[4,3]"));
  Model model = written_and_read(build);
  {
    Transaction trial(model.graph());
    CHECK(contradictions(model.graph()).size() == 2);
  }
  CHECK(contradictions(model.graph()).size() == 2);  // the trial was taken back
  const onnx::GraphProto& written = model.commit().graph();
  CHECK(written.value_info_size() == 0);
  CHECK(to_string(written.output(0).type()) == "f32[4,3]");
  CHECK(type_text(*model.graph().output(0)) == "f32[N,3]");
}

TEST_CASE("inputs that do not fit leave the shape open and the dtype told") {
  Builder build(17);
  Value& y = build.op("Add", {&build.input("a", DType::f32, {2}), &build.input("b", DType::f32, {3})});
  Value& z = build.op("Relu", {&y});
  std::vector<std::string> reported;
  InferOptions options;
  options.problem = [&](const Node&, const Reason& reason) { reported.push_back(to_string(reason)); };
  infer_shapes(build.graph(), options);
  CHECK(type_text(z) == "f32");
  CHECK(reported == std::vector<std::string>{"the inputs do not broadcast"});
}

TEST_CASE("unknown extents get symbols, so that equal ones are recognized") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim(), Dim("unk__0")});
  Value& y = build.op("Relu", {&x});
  Value& where = build.op("NonZero", {&x});
  infer_shapes(build.graph());
  CHECK(type_text(x) == "f32[unk__1,unk__0]");
  CHECK(type_text(y) == "f32[unk__1,unk__0]");
  CHECK(type_text(where) == "i64[2,unk__2]");
}

TEST_CASE("unless that is not wanted") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim(), 3});
  Value& y = build.op("Relu", {&x});
  infer_shapes(build.graph(), {.name_unknown = false});
  CHECK(type_text(x) == "f32[?,3]");
  CHECK(type_text(y) == "f32[?,3]");
}

TEST_CASE("one node names nothing") {
  Builder build(17);
  Value& y = build.op("NonZero", {&build.input("x", DType::f32, {2})});
  REQUIRE(infer_node(*y.producer()));
  CHECK(type_text(y) == "i64[1,?]");
}

TEST_CASE("inferring again changes nothing") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim(), 3});
  Value& y = build.op("NonZero", {&x});
  infer_shapes(build.graph());
  const std::string once = type_text(y);
  const std::uint64_t edits = build.graph().model().edit_count();
  infer_shapes(build.graph());
  CHECK(type_text(y) == once);
  CHECK(build.graph().model().edit_count() == edits);
}

TEST_CASE("values follow changed inputs, and lose unknown parts if refreshed") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {1, 3});
  Value& y = build.op("Relu", {&x});
  Value& z = build.op("NonZero", {&y});
  build.output(build.op("Relu", {&y}));
  infer_shapes(build.graph());
  build.graph().set_type(z, type_of("i64[2,3]"));
  build.graph().set_type(x, type_of("f32[5,3]"));
  CHECK(contradictions(build.graph()).empty());  // nothing was declared
  CHECK(type_text(y) == "f32[5,3]");
  CHECK(type_text(*build.graph().output(0)) == "f32[5,3]");
  CHECK(type_text(z) == "i64[2,3]");
  infer_shapes(build.graph(), {.name_unknown = false, .refresh = true});
  CHECK(type_text(z) == "i64[2,?]");
}

TEST_CASE("types are saved if they are declared") {
  for (const bool declare : {false, true}) {
    Builder build(17);
    Value& y = build.op("Relu", {&build.input("x", DType::f32, {2, 3})});
    build.output(build.op("Relu", {&y}), "z");
    Model model = build.build();
    InferOptions options;
    options.declare = declare;
    infer_shapes(model.graph(), options);
    const onnx::GraphProto& graph = model.commit().graph();
    REQUIRE(graph.value_info_size() == (declare ? 1 : 0));
    if (declare) CHECK(to_string(graph.value_info(0).type()) == "f32[2,3]");
  }
}

TEST_CASE("operators of other domains are inferred by their users") {
  Builder build(17);
  build.import("my", 1);
  Value& x = build.input("x", DType::f32, {1, 3, 8, 8});
  Value& w = build.constant(Tensor(DType::f32, {4, 3, 3, 3}), "w");
  Value& conv = build.op("my::Conv", {&x, &w});
  Value& relu = build.op("Relu", {&conv});
  Value& unknown = build.op("my::Other", {&relu});
  InferOptions options;
  options.operators.add("my::Conv", {.shape = [](InferContext& c) {
    c.set_dtype(0, c.dtype(0));
    return infer::conv(c);
  }});
  options.operators.add("Relu", {.shape = [](InferContext& c) {  // in the place of graft's own
    c.set(0, DType::f32, {7});
    return Verdict::yes();
  }});
  infer_shapes(build.graph(), options);
  CHECK(type_text(conv) == "f32[1,4,6,6]");
  CHECK(type_text(relu) == "f32[7]");
  CHECK(type_text(unknown) == "none");
}

TEST_CASE("initializers that may be overridden tell their contents only if that is assumed") {
  for (const bool assume : {false, true}) {
    onnx::ModelProto proto;
    {
      Builder build(17);
      Value& target = build.input("target", DType::i64, {2});
      build.output(build.op("Reshape", {&build.input("x", DType::f32, {6}), &target}), "y");
      build.constant(Tensor::of<std::int64_t>({2}, {2, 3}), "other");
      proto = build.build().commit();
    }
    proto.mutable_graph()->mutable_initializer(0)->set_name("target");
    Model model(std::move(proto));
    infer_shapes(model.graph(), {.name_unknown = false, .assume_defaults = assume});
    CHECK(type_text(*model.graph().find("y")) == (assume ? "f32[2,3]" : "f32[?,?]"));
  }
}

TEST_CASE("checking writes nothing") {
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {2, 3})});
  Inference inference;
  CHECK(inference.check(*y.producer()));
  CHECK(type_text(y) == "none");
  build.graph().set_type(y, type_of("f32[2,4]"));
  CHECK(text(inference.check(*y.producer())) == "a value is declared with extent 4, but 3 is inferred, at axis 1");
  REQUIRE(inference.run(*build.op("Relu", {&y}).producer()));
  CHECK(type_text(*build.graph().last_node()->output(0)) == "f32[2,4]");
}

TEST_CASE("what is inferred inside a transaction goes with it") {
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {2, 3})});
  {
    Transaction transaction(build.graph());
    infer_shapes(build.graph());
    CHECK(type_text(y) == "f32[2,3]");
  }
  CHECK(type_text(y) == "none");
}

TEST_CASE("an attribute of the wrong kind is an error that names node and attribute") {
  Builder build(17);
  Value& y = build.op("Flatten", {&build.input("x", DType::f32, {2, 3})}, {{"axis", "1"}});
  build.graph().rename(*y.producer(), "flat");
  try {
    infer_shapes(build.graph());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.node() == "flat");
    CHECK(error.field() == "attribute 'axis'");
  }
}

namespace {

onnx::NodeProto node_proto(std::string_view op, std::vector<std::string> inputs, const std::string& output,
                           std::string_view domain = {}) {
  onnx::NodeProto node;
  node.set_op_type(std::string(op));
  node.set_domain(std::string(domain));
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

/// Turned(a) {perm, to} = Cast<to>(Transpose<perm>(a)), called for two inputs.
Model with_function() {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::OperatorSetIdProto& own = *proto.add_opset_import();
  own.set_domain("own");
  own.set_version(1);
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("Turned");
  function.add_input("a");
  function.add_output("c");
  function.add_attribute("to");
  function.add_opset_import()->set_version(17);
  *function.add_node() = node_proto("Transpose", {"a"}, "b");
  onnx::NodeProto& cast = *function.add_node();
  cast = node_proto("Cast", {"b"}, "c");
  onnx::AttributeProto& to = *cast.add_attribute();
  to.set_name("to");
  to.set_ref_attr_name("to");
  to.set_type(onnx::AttributeProto::INT);
  for (const char* const x : {"x", "y"}) {
    onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
    input.set_name(x);
    *input.mutable_type() = type_of(*x == 'x' ? "f32[2,N]" : "f32[3,4,5]");
    onnx::NodeProto& call = *proto.mutable_graph()->add_node();
    call = node_proto("Turned", {x}, std::string("turned_") + x, "own");
    *call.add_attribute() = Attribute("to", *x == 'x' ? DType::f16 : DType::i64).proto();
  }
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("a call of a local function is inferred through it, each for itself") {
  Model model = with_function();
  infer_shapes(model.graph());
  CHECK(type_text(*model.graph().find("turned_x")) == "f16[N,2]");
  CHECK(type_text(*model.graph().find("turned_y")) == "i64[5,4,3]");
  CHECK(type_text(*model.functions()[0]->find("b")) == "none");
}

TEST_CASE("a call of an overload is inferred through that one") {
  Model model = with_function();
  onnx::ModelProto proto = model.commit();
  onnx::FunctionProto& other = *proto.add_functions();
  other = proto.functions(0);
  *other.mutable_node(0) = node_proto("Neg", {"a"}, "b");
  other.GetReflection()->MutableUnknownFields(&other)->AddLengthDelimited(13)->assign("kept");
  onnx::NodeProto& call = *proto.mutable_graph()->mutable_node(0);
  call.GetReflection()->MutableUnknownFields(&call)->AddLengthDelimited(8)->assign("kept");
  *proto.mutable_graph()->add_node() = node_proto("Identity", {"turned_x"}, "z");
  onnx::ValueInfoProto& declared = *proto.mutable_graph()->add_output();
  declared.set_name("z");
  *declared.mutable_type() = type_of("f16[2,N]");
  Model overloaded(std::move(proto));
  infer_shapes(overloaded.graph());
  CHECK(type_text(*overloaded.graph().find("turned_x")) == "f16[2,N]");
  CHECK(type_text(*overloaded.graph().find("turned_y")) == "i64[5,4,3]");
  CHECK(verify(overloaded).empty());
}

TEST_CASE("inside a function, what depends on the caller's attributes stays open") {
  Model model = with_function();
  Graph& function = *model.functions()[0];
  function.set_type(*function.find("a"), type_of("f32[2,3]"));
  infer_shapes(function);
  CHECK(type_text(*function.find("b")) == "f32[3,2]");
  CHECK(type_text(*function.find("c")) == "none");
}

TEST_CASE("a function that calls itself ends") {
  Model model = with_function();
  onnx::ModelProto proto = model.commit();
  *proto.mutable_functions(0)->mutable_node(0) = node_proto("Turned", {"a"}, "b", "own");
  Model endless(std::move(proto));
  infer_shapes(endless.graph());
  CHECK(type_text(*endless.graph().find("turned_x")) == "f16");  // the Cast behind the call
}

namespace {

/// F0(a) = Relu(a); each further one calls the one before twice. x and y are given to the last.
Model with_nested_functions(int count) {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::OperatorSetIdProto& own = *proto.add_opset_import();
  own.set_domain("own");
  own.set_version(1);
  for (int i = 0; i < count; ++i) {
    onnx::FunctionProto& function = *proto.add_functions();
    function.set_domain("own");
    function.set_name("F" + std::to_string(i));
    function.add_input("a");
    function.add_output("c");
    *function.add_opset_import() = proto.opset_import(0);
    *function.add_opset_import() = own;
    const std::string before = "F" + std::to_string(i - 1);
    *function.add_node() = i == 0 ? node_proto("Relu", {"a"}, "b") : node_proto(before, {"a"}, "b", "own");
    *function.add_node() = i == 0 ? node_proto("Neg", {"b"}, "c") : node_proto(before, {"b"}, "c", "own");
  }
  for (const char* const x : {"x", "y"}) {
    onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
    input.set_name(x);
    *input.mutable_type() = type_of(*x == 'x' ? "f32[2,N]" : "i32[3]");
    *proto.mutable_graph()->add_node() =
        node_proto("F" + std::to_string(count - 1), {x}, std::string("of_") + x, "own");
  }
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("a function that others call is inferred once for each of its input types") {
  Model model = with_nested_functions(40);  // 2^40 calls, if each were followed
  infer_shapes(model.graph());
  CHECK(type_text(*model.graph().find("of_x")) == "f32[2,N]");
  CHECK(type_text(*model.graph().find("of_y")) == "i32[3]");
}

TEST_CASE("what a call gives is not remembered beyond a run") {
  Model model = with_nested_functions(3);
  Inference inference;
  Node& call = *model.graph().first_node();
  CHECK(inference.run(call));
  CHECK(type_text(*call.output(0)) == "f32[2,N]");
  Graph& function = *model.functions()[0];
  function.set_op(*function.last_node(), "Size");
  CHECK(inference.run(*call.next()));
  CHECK(type_text(*call.next()->output(0)) == "i64[]");
}

TEST_CASE("values along elementwise operators share one record of their type") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {Dim("N"), 3});
  Value& first = build.op("Relu", {&x});
  Value& second = build.op("Abs", {&first});
  Value& third = build.op("Neg", {&second});
  Value& turned = build.op("Transpose", {&third}, {{"perm", {1, 0}}});
  build.output(turned, "y");
  Graph& graph = build.graph();
  infer_shapes(graph);
  CHECK(first.type() != x.type());  // that of x stands in the file, and goes when x goes
  CHECK(second.type() == first.type());
  CHECK(third.type() == first.type());
  CHECK(type_text(turned) == "f32[3,N]");

  SECTION("and keep theirs when one gets another") {
    Transaction trial(graph);
    graph.set_type(first, tensor_type(DType::f32, Shape(std::vector<Dim>{8, 3})));
    CHECK(type_text(first) == "f32[8,3]");
    CHECK(type_text(second) == "f32[N,3]");
    trial.rollback();
    CHECK(second.type() == first.type());
  }
  SECTION("and keep theirs when one is declared, written and declared again") {
    graph.declare_type(second, tensor_type(DType::f32, Shape(std::vector<Dim>{8, 3})));
    graph.model().commit();
    graph.declare_type(second, {});
    graph.model().commit();
    CHECK(type_text(second) == "none");
    CHECK(type_text(first) == "f32[N,3]");
    CHECK(type_text(third) == "f32[N,3]");
  }
  SECTION("but not with a value whose type the file has") {
    graph.declare_type(third, *third.type());
    graph.model().commit();
    Value& last = *graph.insert("Sqrt", {&third}).output(0);
    CHECK(infer_node(*last.producer()));
    CHECK(last.type() != third.type());
    graph.declare_type(third, {});
    graph.model().commit();
    CHECK(type_text(last) == "f32[N,3]");
  }
}

TEST_CASE("a shared type is refined for each value on its own") {
  Builder build(17);
  Value& first = build.op("Relu", {&build.input("x", DType::f32, {2, 3})});
  Value& second = build.op("Abs", {&first});
  Graph& graph = build.graph();
  graph.set_type(first, tensor_type(DType::f32, Shape(std::vector<Dim>{Dim(), 3})));
  CHECK(infer_node(*second.producer(), {.name_unknown = false}));
  CHECK(second.type() == first.type());
  Value& third = *graph.insert("Neg", {&second}).output(0);
  infer_shapes(graph);
  CHECK(type_text(first) == "f32[2,3]");
  CHECK(type_text(second) == "f32[2,3]");
  CHECK(type_text(third) == "f32[2,3]");
}
