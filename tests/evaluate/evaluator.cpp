#include <graft/evaluate/evaluator.hpp>

#include <stdexcept>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// y = Relu(a - b), with "d" = a - b; b is a constant.
Model difference() {
  Builder builder(13);
  Value& a = builder.input("a", DType::f32, {2});
  Value& b = builder.constant(floats({1, 10}), "b");
  Value& d = builder.op("Sub", {&a, &b});
  builder.graph().rename(d, "d");
  builder.output(builder.op("Relu", {&d}), "y");
  return builder.build();
}

std::string message(const Evaluator& evaluator, const Feeds& feeds, const Fetches& fetches) {
  try {
    evaluator.run(feeds, fetches);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an evaluator runs its graph again and again") {
  const Model model = difference();
  const Evaluator evaluator(model.graph());
  for (int i = 0; i < 2; ++i) {
    const std::vector<Tensor> outputs = evaluator.run({{"a", floats({5, 5})}});
    REQUIRE(outputs.size() == 1);
    CHECK(same(outputs[0], floats({4, 0})));
  }
}

TEST_CASE("what is fed is not changed") {
  const Model model = difference();
  const Tensor a = floats({5, 5});
  Evaluator(model.graph()).run({{"a", a}});
  CHECK(same(a, floats({5, 5})));
}

TEST_CASE("any value can be fetched, by name or by itself, also twice") {
  const Model model = difference();
  const Evaluator evaluator(model.graph());
  const Value& d = *model.graph().find("d");
  const std::vector<Tensor> values = evaluator.run({{"a", floats({5, 5})}}, {"d", d, "b", "a", "y"});
  CHECK(same(values[0], floats({4, -5})));
  CHECK(same(values[1], floats({4, -5})));
  CHECK(same(values[2], floats({1, 10})));
  CHECK(same(values[3], floats({5, 5})));
  CHECK(same(values[4], floats({4, 0})));
}

TEST_CASE("a value that is fed is not computed, nor what only it needs") {
  const Model model = difference();
  const Evaluator evaluator(model.graph());
  CHECK(same(evaluator.run({{"d", floats({-1, 1})}}, {"y"})[0], floats({0, 1})));
  CHECK(same(evaluator.run({{"a", floats({5, 5})}, {"b", floats({2, 2})}})[0], floats({3, 3})));
}

TEST_CASE("what is wrong is named before anything runs") {
  const Model model = difference();
  const Evaluator evaluator(model.graph());
  CHECK(message(evaluator, {}, {"y"}) == "a: has no value: it is neither fed nor computed");
  CHECK(message(evaluator, {}, {"nowhere"}).find("nowhere: the graph computes no such value; its inputs are 'a'") == 0);
  CHECK(message(evaluator, {{"a", floats({1, 2, 3})}}, {"y"}) == "a: fed with f32[3], expected f32[2]");
  CHECK(message(evaluator, {{"a", ints({1, 2})}}, {"y"}).find("i64[2]") != std::string::npos);
  CHECK(message(evaluator, {{"d", floats({1, 2})}, {"d", floats({1, 2})}}, {"y"}) == "d: is fed twice");
}

TEST_CASE("whatever a kernel throws names the node") {
  Kernels kernels = Kernels::standard();
  kernels.add("Neg", [](KernelContext&) { throw std::runtime_error("boom"); });
  Builder builder(13);
  Value& y = builder.op("Neg", {&builder.input("x", DType::f32, {1})});
  builder.graph().rename(*y.producer(), "neg");
  builder.output(y, "y");
  const Model model = builder.build();
  CHECK(message(Evaluator(model.graph(), kernels), {{"x", floats({1})}}, {"y"}) == "node 'neg': boom");
}

TEST_CASE("an operator without a kernel is an error only where it is needed") {
  Builder builder(13);
  builder.import("my.domain", 3);
  Value& x = builder.input("x", DType::f32, {1});
  Value& y = builder.op("my.domain::Twist", {&x});
  builder.graph().rename(*y.producer(), "twist");
  builder.output(y, "y");
  builder.output(builder.op("Neg", {&x}), "z");
  const Model model = builder.build();
  const Evaluator evaluator(model.graph());
  CHECK(same(evaluator.run({{"x", floats({1})}}, {"z"})[0], floats({-1})));
  CHECK(message(evaluator, {{"x", floats({1})}}, {"y"}) == "node 'twist': no kernel for my.domain::Twist of opset 3");
}

TEST_CASE("an operator without a kernel is named inside a body too") {
  for (const char* const op : {"Twist", "my.domain::Twist"}) {
    const bool own = std::string_view(op) != "Twist";
    onnx::GraphProto branch;
    branch.set_name("branch");
    onnx::NodeProto& node = *branch.add_node();
    node.set_name("twist");
    node.set_op_type("Twist");
    if (own) node.set_domain("my.domain");
    node.add_input("x");
    node.add_output("y");
    branch.add_output()->set_name("y");
    Builder builder(13);
    builder.import("my.domain", 3);
    builder.input("x", DType::f32, {1});
    Value& condition = builder.input("condition", DType::boolean, {});
    Value& y = builder.op("If", {&condition}, {{"then_branch", branch}, {"else_branch", branch}});
    builder.output(y, "z");
    const Model model = builder.build();
    const Evaluator evaluator(model.graph());
    const std::string wanted = std::string("node 'twist': no kernel for ") + op + " of opset " + (own ? "3" : "13");
    CHECK(message(evaluator, {{"x", floats({1})}, {"condition", Tensor::scalar(true)}}, {"z"}) == wanted);
  }
}

TEST_CASE("an error in a kernel comes out with the node") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32);
  Value& y = builder.op("Concat", {&x, &x}, {{"axis", 5}});
  builder.graph().rename(*y.producer(), "join");
  builder.output(y, "y");
  const Model model = builder.build();
  CHECK(message(Evaluator(model.graph()), {{"x", floats({1})}}, {"y"}) == "node 'join': axis 5 is outside rank 1");
}

TEST_CASE("observers see wanted values as they pass, and can end the run") {
  const Model model = difference();
  const Evaluator evaluator(model.graph());
  std::vector<std::size_t> order;
  evaluator.observe({{"a", floats({5, 5})}}, {"y", "a", "d"},
                    [&](std::size_t fetch, const Tensor&) { order.push_back(fetch); });
  CHECK(order == std::vector<std::size_t>{1, 2, 0});
  CHECK_THROWS_AS(evaluator.observe({{"a", floats({5, 5})}}, {"d", "y"}, [](std::size_t, const Tensor&) { throw 7; }),
                  int);
}

TEST_CASE("a value is released after its last use, and changed in place at it") {
  // Kernels that tell whether their input is theirs alone: then writing does not move it.
  std::vector<bool> alone;
  Kernels kernels = Kernels::standard();
  kernels.add("Neg", [&](KernelContext& ctx) {
    Tensor x = ctx.take_input(0);
    const std::byte* before = x.bytes().data();
    alone.push_back(x.mutable_bytes().data() == before);
    ctx.set_output(0, std::move(x));
  });
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {1});
  Value& first = builder.op("Neg", {&x});
  Value& second = builder.op("Neg", {&first});
  Value& third = builder.op("Neg", {&first});
  builder.output(builder.op("Add", {&second, &third}), "y");
  const Model model = builder.build();
  const Tensor fed = floats({1});
  Evaluator(model.graph(), kernels).run({{"x", fed}});
  CHECK(alone == std::vector<bool>{false, false, true});
}

TEST_CASE("constants are read in place, and results hold on to nothing of the model") {
  Tensor kept;
  {
    const Model model = difference();
    const Evaluator evaluator(model.graph());
    const std::string& stored = model.proto().graph().initializer(0).raw_data();
    const void* seen = nullptr;
    evaluator.observe({}, {"b"}, [&](std::size_t, const Tensor& tensor) { seen = tensor.bytes().data(); });
    CHECK(seen == stored.data());
    kept = evaluator.run({}, {"b"})[0];
    CHECK(kept.bytes().data() != seen);
  }
  CHECK(same(kept, floats({1, 10})));
}

TEST_CASE("initializers that are graph inputs can be overridden") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {1});
  builder.output(builder.op("Neg", {&x}), "y");
  onnx::ModelProto proto = builder.build().commit();
  write_tensor(floats({3}), *proto.mutable_graph()->add_initializer());
  proto.mutable_graph()->mutable_initializer(0)->set_name("x");
  const Model model(proto);
  CHECK(same(Evaluator(model.graph()).run({})[0], floats({-3})));
  CHECK(same(Evaluator(model.graph()).run({{"x", floats({4})}})[0], floats({-4})));
}

TEST_CASE("bodies read what is fed for an initializer around them") {
  const Model model = graph("w: f32[1] = {3}; c: bool[]; y = If(c) {then_branch={ t = Neg(w) }, "
                            "else_branch={ u = Abs(w) }}");
  CHECK(same(Evaluator(model.graph()).run({{"c", Tensor::scalar(true)}})[0], floats({-3})));
  CHECK(same(Evaluator(model.graph()).run({{"c", Tensor::scalar(true)}, {"w", floats({4})}})[0], floats({-4})));
}

TEST_CASE("bodies read the values around them") {
  onnx::GraphProto branch;
  branch.set_name("branch");
  onnx::NodeProto& node = *branch.add_node();
  node.set_op_type("Neg");
  node.add_input("outer");
  node.add_output("negated");
  branch.add_output()->set_name("negated");

  Builder builder(16);
  Value& x = builder.input("x", DType::f32, {1});
  Value& outer = builder.op("Exp", {&x});
  builder.graph().rename(outer, "outer");
  Value& condition = builder.constant(Tensor::scalar(true), "condition");
  Value& y = builder.op("If", {&condition}, {{"then_branch", branch}, {"else_branch", branch}});
  builder.output(y, "y");
  builder.output(outer);
  const Model model = builder.build();
  const std::vector<Tensor> outputs = Evaluator(model.graph()).run({{"x", floats({0})}});
  CHECK(same(outputs[0], floats({-1})));
  CHECK(same(outputs[1], floats({1})));
}

TEST_CASE("errors name the nodes that are not evaluated") {
  onnx::ModelProto proto = difference().proto();
  onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
  sparse.mutable_values()->set_name("few");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  proto.mutable_graph()->mutable_node(0)->set_input(1, "few");
  const Model with_sparse(proto);
  CHECK_THAT(message(Evaluator(with_sparse.graph()), {{"a", floats({5, 5})}}, {"y"}),
             Catch::Contains("few") && Catch::Contains("sparse initializer"));
  Builder builder(13);
  Value& text = builder.input("t", DType::string, {2});
  builder.output(builder.op("Identity", {&text}), "y");
  const Model of_strings = builder.build();
  CHECK_THAT(message(Evaluator(of_strings.graph()), {}, {"y"}), Catch::Contains("is of string"));
}
