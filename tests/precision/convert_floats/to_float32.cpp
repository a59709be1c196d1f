#include <graft/precision/convert_floats.hpp>

#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a model of 16 bit floats becomes one of float32 between Casts") {
  for (const std::string half : {"f16", "bf16"}) {
    CHECK(given("x: " + half + "[N,2]; w = " + half + "[2,2] {1, 2, 3, 4}; h = MatMul(x, w); "
                "y = Add(h, Constant() {value=" + half + "[2] {5, 6}}); i: i64[2]; z = Gather(y, i); return z, i")
              .pass(to_float32())
              .becomes("x: " + half + "[N,2]; w = f32[2,2] {1, 2, 3, 4}; h = MatMul(Cast(x) {to=f32}, w); "
                       "y = Add(h, Constant() {value=f32[2] {5, 6}}); i: i64[2]; v = Gather(y, i); "
                       "z = Cast(v) {to=" + half + "}; return z, i"));
  }
}

TEST_CASE("Casts between the two widths go, and dtypes that attributes name follow") {
  CHECK(given("x: f32[2]; h = Sigmoid(Cast(x) {to=f16}); r = EyeLike(Cast(i64[2,2] 1) {to=f32}) {dtype=f16}; "
              "s = ConstantOfShape(i64[1] 2) {value=f16[1] 3}; y = Add(Add(h, s), r); z = Cast(y) {to=f32}; return z")
            .pass(to_float32())
            .becomes("x: f32[2]; h = Sigmoid(x); r = EyeLike(Cast(i64[2,2] 1) {to=f32}) {dtype=f32}; "
                     "s = ConstantOfShape(i64[1] 2) {value=f32[1] 3}; y = Add(Add(h, s), r); return y"));
}

TEST_CASE("the signature stays: names, dtypes, defaults, and inputs that are handed out") {
  Model model = graph("x: f16[2]; d: f16[2] = {1, 2}; y = Add(x, d); z = Neg(y); return z, y, x, z");
  to_float32().run(model);
  const onnx::GraphProto& proto = model.commit().graph();
  CHECK(verify(model).empty());
  for (const onnx::ValueInfoProto& info :
       {proto.input(0), proto.input(1), proto.output(0), proto.output(1), proto.output(3)})
    CHECK(info.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT16);
  CHECK(proto.output(0).name() == "z");
  CHECK(proto.output(1).name() == "y");
  CHECK(proto.output(2).name() == "x");
  CHECK(proto.output(3).name() == "z");
  CHECK(proto.initializer(0).data_type() == onnx::TensorProto::FLOAT16);
  const Tensor x = Tensor::of<float>(DType::f16, {2}, {0.5f, -3});
  const std::vector<Tensor> results = Evaluator(model.graph()).run({{"x", x}});
  CHECK(results[0].same_bytes(Tensor::of<float>(DType::f16, {2}, {-1.5f, 1})));
  CHECK(results[1].same_bytes(Tensor::of<float>(DType::f16, {2}, {1.5f, -1})));
}

TEST_CASE("below IR version 4 a constant that is an input as well becomes float32") {
  Model model = graph("ir 3; opset 8; x: f16[2]; w: f16[2] = 3; y = Add(x, w)");
  to_float32().run(model);
  CHECK(model.graph().find("w")->constant()->same_bytes(Tensor::of<float>({2}, {3, 3})));
  CHECK(model.commit().graph().input(1).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(verify(model).empty());
}

TEST_CASE("such a one that is handed out stays, as its name is that of an output") {
  Model model = graph("ir 3; opset 8; x: f16[2]; w: f16[2] = 3; y = Add(x, w); return y, w");
  to_float32().run(model);
  CHECK(model.commit().graph().output(1).name() == "w");
  CHECK(model.graph().output(1)->dtype() == DType::f16);
  CHECK(verify(model).empty());
  const std::vector<Tensor> results = Evaluator(model.graph()).run({{"x", Tensor::of<float>(DType::f16, {2}, {1, 2})}});
  CHECK(results[0].to<float>() == std::vector<float>{4, 5});
}

TEST_CASE("bodies follow, and read what is cast") {
  Model model = graph(
      "x: f16[2]; c: bool[]; k = f16[2] {1, 2}; "
      "y = If(c) {then_branch={ t = Add(x, k) }, else_branch={ return x }}; "
      "z = Loop(i64[] 3, _, y) {body={ i: i64[]; more: bool[]; s: f16[2]; u = Mul(s, f16[] 0.5); "
      "on = Identity(more); return on, u }}; return z");
  to_float32().run(model);
  Model saved(model.commit());
  CHECK(verify(saved).empty());
  for (const Graph* const scope : saved.scopes())
    for (const Node& node : scope->nodes())
      for (const Value& output : node.outputs())
        if (output.name() != "z") CHECK(output.dtype() != DType::f16);
  for (const bool condition : {true, false}) {
    const Feeds feeds{{"x", Tensor::of<float>(DType::f16, {2}, {8, 16})}, {"c", Tensor::of<bool>({}, {condition})}};
    const std::vector<float> wanted = condition ? std::vector<float>{1.125f, 2.25f} : std::vector<float>{1, 2};
    const Tensor result = Evaluator(saved.graph()).run(feeds)[0];
    CHECK(result.dtype() == DType::f16);
    CHECK(result.to<float>() == wanted);
  }
}

TEST_CASE("a model without 16 bit floats is left alone") {
  Model model = graph("x: f32[2]; y = Cast(x) {to=f32}; z = Cast(y) {to=f64}");
  const std::string before = model.serialize();
  CHECK(to_float32().run(model).changes == 0);
  CHECK(model.serialize() == before);
}

TEST_CASE("Casts alone between float32 tensors are taken out, and counted") {
  Model model = graph("opset 13; x: f32[2]; h = Sigmoid(Cast(x) {to=10}); y = Cast(h) {to=1}; return y");
  CHECK(to_float32().run(model).changes != 0);
  CHECK(model.graph().nodes().size() == 1);
}

TEST_CASE("a sequence of 16 bit floats that is handed out keeps its type, inner ones become float32") {
  const std::string halves = "x: f16[2]; s = SequenceConstruct(x, x); ";
  Model inner = graph(halves + "y = SequenceAt(s, i64[] 1)");
  CHECK(to_float32().run(inner).changes != 0);
  CHECK(verify(inner).empty());
  Model outer = graph("x: f16[2]; w = f16[2] 1; h = Add(x, w); s = SequenceConstruct(h, x)");
  to_float32().run(outer);
  CHECK(verify(outer).empty());
  CHECK(outer.graph().find("w")->dtype() == DType::f32);
  const Node& construct = *outer.graph().output(0)->producer();
  CHECK(construct.input(0)->producer()->is("Cast"));
  CHECK(construct.input(1) == outer.graph().find("x"));
}

TEST_CASE("nodes that compute nothing in floats get no Casts, and a second run changes nothing") {
  for (const std::string half : {"f16", "bf16"}) {
    Model model = graph("x: " + half + "[2]; u = Relu(x); c = Cast(u) {to=" + half + "}; s = Shape(x); return u, c, s");
    to_float32().run(model);
    Model once(model.commit());
    CHECK(once.graph().find("s")->producer()->input(0)->is_graph_input());
    CHECK(to_float32().run(once).changes == 0);
  }
}

TEST_CASE("bf16 stays where Cast does not take it") {
  Model model = graph("opset 12; x: bf16[1,2,3]; w: bf16[3]; "
                      "y = com.microsoft::SkipSimplifiedLayerNormalization(x, x, w) {epsilon=0.01}");
  CHECK(to_float32().run(model).changes == 0);
  CHECK(verify(model).empty());
}
