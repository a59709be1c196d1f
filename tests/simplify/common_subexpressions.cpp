#include <graft/simplify/common_subexpressions.hpp>

#include <functional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult stays(std::string_view text) { return given(text).pass(eliminate_common_subexpressions()).becomes(text); }

}  // namespace

TEST_CASE("eliminate_common_subexpressions merges chains from the front") {
  CHECK(given("x: f32[2]; a = Neg(Relu(x)); b = Neg(Relu(x)); y = Mul(a, b)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; a = Neg(Relu(x)); y = Mul(a, a)"));
}

TEST_CASE("the only reader of a value merges once that value is merged with another") {
  CHECK(given("x: f32[2]; a = Sub(Relu(x), Neg(x)); b = Sub(Relu(x), Neg(x)); y = Mul(a, b)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; a = Sub(Relu(x), Neg(x)); y = Mul(a, a)"));
  CHECK(given("x: f32[2]; r = Relu(x); a = Neg(r); s = Relu(x); b = Neg(s); t = Relu(x); c = Neg(t); y = Sum(a, b, c)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; a = Neg(Relu(x)); y = Sum(a, a, a)"));
}

TEST_CASE("operands of commutative operators, attributes and their defaults") {
  CHECK(given("x: f32[2]; z: f32[2]; y = Sub(Add(x, z), Add(z, x))")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; z: f32[2]; a = Add(x, z); y = Sub(a, a)"));
  CHECK(given("x: f32[2]; y = Sub(LeakyRelu(x), LeakyRelu(x) {alpha=0.01})")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; a = LeakyRelu(x); y = Sub(a, a)"));
  CHECK(given("x: f32[2]; c = Constant() {value=f32[2] 1}; d = Constant() {value=f32[2] 1}; y = Mul(Add(x, c), d)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; c = Constant() {value=f32[2] 1}; y = Mul(Add(x, c), c)"));
  CHECK(stays("x: f32[2]; y = Sub(LeakyRelu(x), LeakyRelu(x) {alpha=0.02})"));
  CHECK(stays("x: f32[2]; z: f32[2]; y = Add(Sub(x, z), Sub(z, x))"));
}

TEST_CASE("equal initializers become one") {
  CHECK(given("x: f32[2]; a = f32[2] {1, 2}; b = f32[2] {1, 2}; c = f32[2] {2, 1}; y = Mul(Mul(Add(x, a), b), c)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; a = f32[2] {1, 2}; c = f32[2] {2, 1}; y = Mul(Mul(Add(x, a), a), c)"));
  CHECK(stays("x: f32[2]; a = f32[2] 0; b = i32[2] 0; y = Add(x, a); z = Cast(b) {to=f32}"));
  CHECK(stays("x: f32[2]; a: f32[2] = 1; b: f32[2] = 1; y = Mul(Add(x, a), b)"));
}

TEST_CASE("eliminate_common_subexpressions through all variants") {
  const VariantReport report =
      variants(eliminate_common_subexpressions(), "x: f32[2,N]; a = Relu(x); b = Relu(x); c = Neg(b); y = Add(a, c)");
  CHECK(report);
  CHECK(report.find("%a as a graph output")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%b as a graph output")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("capture of %b by an If body")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("both are graph outputs") {
  CHECK(given("x: f32[2]; y = Relu(x); z = Relu(x)")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; y = Relu(x); z = Identity(y); return y, z"));
  CHECK(stays("x: f32[2]; y = Identity(x); z = Identity(x)"));
}

TEST_CASE("nodes whose outputs are outputs of the graph merge unless that takes several Identities") {
  const std::string split = "x: f32[4,2]; a, b = Split(x); c, d = Split(x);";
  CHECK(stays(split + "return a, b, c, d"));
  CHECK(given(split + "y = Neg(d); return a, b, c, y")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[4,2]; a, b = Split(x); c = Identity(a); y = Neg(b); return a, b, c, y"));
}

TEST_CASE("random, unknown and holding bodies: they stay; each scope by itself") {
  CHECK(stays("x: f32[2]; y = Sub(RandomNormalLike(x), RandomNormalLike(x))"));
  CHECK(stays("x: f32[2]; y = Sub(test::Op(x), test::Op(x))"));
  CHECK(
      stays("x: f32[2]; c: bool[]; a = Relu(x); y = If(c) {then_branch={ t = Relu(x) }, else_branch={ u = Neg(a) }}"));
  CHECK(given("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Add(Neg(x), Neg(x)) }, else_branch={ u = Abs(x) }}")
            .pass(eliminate_common_subexpressions())
            .becomes("x: f32[2]; c: bool[];"
                     "y = If(c) {then_branch={ n = Neg(x); t = Add(n, n) }, else_branch={ u = Abs(x) }}"));
}

TEST_CASE("initializers that cannot be read stay, unless they are stored alike") {
  const auto merged = [](const std::function<void(onnx::GraphProto&)>& change) {
    Model made = graph("x: f32[2]; a = f32[2] 1; b = f32[2] 1; c = f32[2] 1; d = f32[2] 1; y = Sum(x, a, b, c, d)");
    onnx::ModelProto proto = made.commit();
    change(*proto.mutable_graph());
    Model model(std::move(proto));
    const std::size_t changes = eliminate_common_subexpressions().run(model).changes;
    CHECK(changes + model.graph().initializers().size() == 4);
    return changes;
  };
  const auto each = [&](const std::function<void(onnx::TensorProto&)>& change) {
    return merged([&](onnx::GraphProto& inside) {
      for (int i = 0; i < 2; ++i) change(*inside.mutable_initializer(i));
    });
  };
  CHECK(merged([](auto&) {}) == 3);
  CHECK(each([](onnx::TensorProto& tensor) { tensor.set_raw_data("short"); }) == 2);
  CHECK(each([](onnx::TensorProto& tensor) { tensor.set_raw_data("short" + tensor.name()); }) == 1);
  CHECK(each([](onnx::TensorProto& tensor) { tensor.set_data_type(99); }) == 2);
  CHECK(each([](onnx::TensorProto& tensor) { tensor.set_data_type(99), tensor.set_raw_data(tensor.name()); }) == 1);
  CHECK(each([](onnx::TensorProto& tensor) { tensor.set_dims(0, -2); }) == 2);
  CHECK(each([](onnx::TensorProto& tensor) {
          tensor.clear_raw_data();
          tensor.set_data_location(onnx::TensorProto::EXTERNAL);
          onnx::StringStringEntryProto& entry = *tensor.add_external_data();
          entry.set_key("location");
          entry.set_value("absent.bin");
        }) == 2);
}

TEST_CASE("Constants that cannot be read merge if they are stored alike") {
  Model made = graph("x: f32[2]; a = Constant() {value=f32[2] 1}; b = Constant() {value=f32[2] 1}; y = Sum(x, a, b)");
  onnx::ModelProto proto = made.commit();
  for (int i = 0; i < 2; ++i)
    proto.mutable_graph()->mutable_node(i)->mutable_attribute(0)->mutable_t()->set_raw_data("short");
  Model model(std::move(proto));
  CHECK(eliminate_common_subexpressions().run(model).changes == 1);
}

TEST_CASE("eliminate_common_subexpressions stops when it is cancelled, and what is merged stays so") {
  Model model = graph("x: f32[2]; a = Relu(x); b = Relu(x); c = Neg(x); d = Neg(x); y = Sum(a, b, c, d)");
  Context context;
  int polls = 0;
  context.cancelled = [&] { return ++polls > 3; };
  const Report report = eliminate_common_subexpressions().run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(report.changes == 1);
  CHECK(model.graph().nodes().size() == 4);
  CHECK(verify(model.graph()).empty());
}

TEST_CASE("nodes and initializers are merged by themselves") {
  const std::string head = "x: f32[2]; v = f32[2] 1; ";
  const std::string text = head + "w = f32[2] 1; a = Add(x, v); b = Add(x, w); y = Mul(Relu(x), Relu(x))";
  CHECK(given(text)
            .pass(eliminate_common_subexpressions({.nodes = false}))
            .becomes(head + "a = Add(x, v); b = Add(x, v); y = Mul(Relu(x), Relu(x))"));
  CHECK(given(text)
            .pass(eliminate_common_subexpressions({.initializers = false}))
            .becomes(head + "w = f32[2] 1; a = Add(x, v); b = Add(x, w); r = Relu(x); y = Mul(r, r)"));
}
