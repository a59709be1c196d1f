#include <graft/simplify/fold_constants.hpp>

#include <functional>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("what depends on constants alone is computed") {
  CHECK(given("x: f32[2]; a = f32[2] {1, 2}; y = Mul(x, Add(a, Neg(a)))").pass(fold_constants())
            .becomes("x: f32[2]; c = f32[2] 0; y = Mul(x, c)"));
  CHECK(given("x: f32[2,3]; y = Reshape(x, Concat(i64[1] 3, Unsqueeze(i64[] 2, i64[1] 0)) {axis=0})")
            .pass(fold_constants())
            .becomes("x: f32[2,3]; s = i64[2] {3, 2}; y = Reshape(x, s)"));
}

TEST_CASE("a Constant becomes an initializer, of whatever size") {
  CHECK(given("x: f32[2]; c = Constant() {value=f32[2] 1}; y = Add(x, c)").pass(fold_constants({.most_bytes = 0}))
            .becomes("x: f32[2]; c = f32[2] 1; y = Add(x, c)"));
}

TEST_CASE("folding is equivalent and idempotent") {
  const auto trial = given(
                         "x: f32[2]; a = f32[2] random; c: bool[]; y = Add(x, Exp(a)); z = If(c) {then_branch={ t = "
                         "Sqrt(Abs(a)) }, else_branch={ u = Neg(x) }}")
                         .pass(fold_constants());
  CHECK(trial.equivalent({.inputs = 5, .atol = 1e-6}));
  CHECK(trial.idempotent());
}

TEST_CASE("fold_constants through all variants") {
  const VariantReport report =
      variants(fold_constants(), "x: f32[2,N]; a = f32[2,1] {1, 2}; n = Neg(a); h = Relu(x); y = Mul(h, n)");
  CHECK(report);
  CHECK(report.find("%n as a graph output")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%a as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("large, random and overridable things, quantizers and graph outputs stay") {
  for (const char* const text :
       {"x: f32[1]; y = Add(x, Expand(f32[1] 1, i64[2] {2000, 2000}))",
        "x: f32[4]; y = Add(x, RandomUniformLike(f32[4] 1))",
        "x: f32[1]; w: f32[1] = 2; y = Add(x, Neg(w))",
        "x: f32[1]; y = Add(x, DequantizeLinear(i8[1] 3, f32[] 0.5))",
        "x: f32[1]; y = Neg(f32[1] 1); z = Neg(x)"})
    CHECK(given(text).pass(fold_constants()).becomes(text));
  CHECK(given("x: f32[1]; y = Add(x, DequantizeLinear(i8[1] 3, f32[] 0.5))").pass(fold_constants({.quantizers = true}))
            .becomes("x: f32[1]; c = f32[1] 1.5; y = Add(x, c)"));
}

TEST_CASE("folding stops when it is cancelled, and what is folded stays so") {
  Model model = graph("x: f32[2]; a = f32[2] {1, 2}; b = Neg(a); c = Exp(a); y = Sum(x, b, c)");
  Context context;
  int polls = 0;
  context.cancelled = [&] { return ++polls > 1; };
  const Report report = fold_constants().run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(report.changes == 1);
  CHECK(model.graph().node_count() == 2);
}

TEST_CASE("what cannot be read is left, and noted") {
  const auto fold = [](const std::function<void(onnx::TensorProto&)>& spoil) {
    onnx::ModelProto proto = graph("x: f32[2]; a = f32[2] 1; y = Add(x, Neg(a))").commit();
    spoil(*proto.mutable_graph()->mutable_initializer(0));
    Model model(std::move(proto));
    return fold_constants().run(model);
  };
  CHECK(fold([](onnx::TensorProto& tensor) { tensor.set_data_type(77); }).changes == 0);
  const auto overflow = [](onnx::TensorProto& tensor) {
    tensor.set_dims(0, std::int64_t{1} << 62);
    tensor.add_dims(std::int64_t{1} << 62);
  };
  CHECK(fold(overflow).changes == 0);
  const Report report = fold([](onnx::TensorProto& tensor) { tensor.set_raw_data("short"); });
  CHECK(report.changes == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::Contains("left Neg") && Catch::Contains("wants 8 bytes, has 5"));
}

TEST_CASE("what fails is noted once for a model, however often it is folded") {
  const char* const text = "x: f32[2]; a = f32[2] 1; b = Neg(a); r = Gather(b, i64[1] 5); y = Add(x, r)";
  Model model = graph(text);
  Context context;
  const Report report = fixpoint(fold_constants()).run(model, context);
  REQUIRE(report.steps.size() == 2);
  CHECK(report.steps[0].notes.size() == 1);
  CHECK(report.steps[1].notes.empty());
  model = graph(text);
  CHECK(fold_constants().run(model, context).notes.size() == 1);
}
