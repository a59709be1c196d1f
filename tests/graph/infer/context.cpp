#include <graft/graph/infer/context.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/infer.hpp>

#include "graph/infer/told.hpp"

using namespace graft;

namespace {

/// Runs f on the context of a node my::Op of these inputs, and gives the type of its output.
template <class F>
std::string inferred(std::initializer_list<Value*> inputs, Builder& build, F f) {
  build.import("my", 1);
  Node& node = build.node("my::Op", inputs, 1, {{"count", 3}, {"axes", Ints{1, 2}}});
  InferOptions options;
  options.operators.add("my::Op", {.shape = [&](InferContext& c) {
    f(c);
    return Verdict::yes();
  }});
  REQUIRE(infer_node(node, options));
  return node.output(0)->type() != nullptr ? to_string(*node.output(0)->type()) : "?";
}

}  // namespace

TEST_CASE("a context shows known types of the inputs") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {2, Dim("N")});
  Value& ints = build.constant(Tensor::of<std::int64_t>({2}, {7, 8}), "ints");
  Value& one = build.constant(Tensor::scalar<std::int64_t>(9), "one");
  inferred({&x, &ints, nullptr, &one}, build, [](InferContext& c) {
    CHECK(c.input_count() == 4);
    CHECK(c.has(0));
    CHECK_FALSE(c.has(2));
    CHECK_FALSE(c.has(4));
    CHECK(c.dtype(0) == DType::f32);
    CHECK(c.dtype(2) == DType::undefined);
    CHECK(c.shape(0) == Shape({2, Dim("N")}));
    CHECK_FALSE(c.shape(2).known());
    CHECK(c.ints(1) == Ints{7, 8});
    CHECK_FALSE(c.ints(0));
    CHECK(c.integer(3) == 9);
    CHECK_FALSE(c.integer(1));
    REQUIRE(c.constant(1));
    CHECK(c.constant(1)->size() == 2);
    CHECK_FALSE(c.constant(0));
  });
}

TEST_CASE("a parameter is an input or an attribute") {
  Builder build(17);
  Value& ints = build.constant(Tensor::of<std::int64_t>({2}, {7, 8}), "ints");
  Value& unknown = build.input("unknown", DType::i64, {3});
  Value& anything = build.input("anything", DType::i64);
  inferred({&ints, &unknown, nullptr, &anything}, build, [](InferContext& c) {
    CHECK(c.parameter("axes", 0).values == Ints{7, 8});
    CHECK(c.parameter("axes", 2).values == Ints{1, 2});
    CHECK(c.parameter("axes", 1).given);
    CHECK_FALSE(c.parameter("axes", 1).values);
    CHECK(c.parameter("axes", 1).count == 3u);
    CHECK_FALSE(c.parameter("axes", 3).count);
    CHECK_FALSE(c.parameter("none", 2).given);
    CHECK(c.attr("count", 0) == 3);
    CHECK(c.attr("none", 5) == 5);
    CHECK_FALSE(c.attr<float>("none"));
  });
}

TEST_CASE("what is set becomes the type of the output") {
  Builder build(17);
  Value& x = build.input("x", DType::f16, {Dim("N")});
  CHECK(inferred({&x}, build, [](InferContext& c) { c.set(0, DType::u8, {1, Dim("N")}); }) == "u8[1,N]");
  CHECK(inferred({&x}, build, [](InferContext& c) { c.set_dtype(0, DType::u8); }) == "u8");
  CHECK(inferred({&x}, build, [](InferContext& c) { c.set_like(0, 0); }) == "f16[N]");
  CHECK(inferred({&x}, build, [](InferContext& c) { c.set_type(0, type_of("seq(f32[2])")); }) == "sequence(f32[2])");
  CHECK(inferred({&x}, build, [](InferContext& c) { c.set(1, DType::u8, {1}); }) == "?");
}

TEST_CASE("an absent attribute has the default of the node's operator version") {
  Builder build(11);
  Value& x = build.input("x", DType::f32, {2, 3, 4});
  Node& node = build.node("Softmax", {&x}, 1);
  InferOptions options;
  options.operators.add("Softmax", {.shape = [](InferContext& c) {
    CHECK(c.attr("axis", 7) == 1);
    return Verdict::yes();
  }});
  REQUIRE(infer_node(node, options));
  build.graph().model().set_opset(13);
  options.operators.add("Softmax", {.shape = [](InferContext& c) {
    CHECK(c.attr("axis", 7) == -1);
    return Verdict::yes();
  }});
  REQUIRE(infer_node(node, options));
}

TEST_CASE("a domain that nobody imported counts as its newest version") {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(9);
  onnx::NodeProto& relu = *proto.mutable_graph()->add_node();
  relu.set_op_type("Gelu");
  relu.set_domain("com.microsoft");
  relu.add_input("x");
  relu.add_output("y");
  onnx::ValueInfoProto& x = *proto.mutable_graph()->add_input();
  x.set_name("x");
  *x.mutable_type() = type_of("f32[2,3]");
  Model model(std::move(proto));
  infer_shapes(model.graph());
  CHECK(model.graph().find("y")->shape() == Shape({2, 3}));
  CHECK(model.graph().find("y")->dtype() == DType::f32);
}
