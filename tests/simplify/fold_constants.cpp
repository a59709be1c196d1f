#include <graft/simplify/fold_constants.hpp>

#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("what depends on constants alone is computed") {
  CHECK(given("x: f32[2]; a = f32[2] {1, 2}; y = Mul(x, Add(a, Neg(a)))")
            .pass(fold_constants())
            .becomes("x: f32[2]; c = f32[2] 0; y = Mul(x, c)"));
  CHECK(given("x: f32[2,3]; y = Reshape(x, Concat(i64[1] 3, Unsqueeze(i64[] 2, i64[1] 0)) {axis=0})")
            .pass(fold_constants())
            .becomes("x: f32[2,3]; s = i64[2] {3, 2}; y = Reshape(x, s)"));
}

TEST_CASE("a Constant becomes an initializer, of whatever size") {
  CHECK(given("x: f32[2]; c = Constant() {value=f32[2] 1}; y = Add(x, c)")
            .pass(fold_constants({.max_bytes = 0}))
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
        "x: f32[4]; y = Add(x, RandomUniformLike(f32[4] 1))", "x: f32[1]; w: f32[1] = 2; y = Add(x, Neg(w))",
        "x: f32[1]; y = Add(x, DequantizeLinear(i8[1] 3, f32[] 0.5))", "x: f32[1]; y = Neg(f32[1] 1); z = Neg(x)"})
    CHECK(given(text).pass(fold_constants()).becomes(text));
  CHECK(given("x: f32[1]; y = Add(x, DequantizeLinear(i8[1] 3, f32[] 0.5))")
            .pass(fold_constants({.quantizers = true}))
            .becomes("x: f32[1]; c = f32[1] 1.5; y = Add(x, c)"));
}

TEST_CASE("what would be enormous is not computed, whatever shape is declared for it") {
  for (const char* const node : {"Expand(f32[1] 1, i64[1] 1099511627776)", "ConstantOfShape(i64[2] {1048576, 1048576})",
                                 "Tile(f32[1] 1, i64[1] 1099511627776)", "Range(i64[] 0, i64[] 1099511627776, i64[] 1)",
                                 "HannWindow(i64[] 1099511627776)", "OneHot(i64[1] 0, i64[] 1099511627776, f32[2] 0)",
                                 "Pad(f32[1] 1, i64[2] {0, 1099511627776})"}) {
    Model model = graph(std::string("opset 17; x: f32[1]; c = ") + node + "; n = Shape(c); y = Add(x, Cast(n) {to=1})");
    for (const bool lies : {false, true}) {
      Value& c = *model.graph().find("c");
      if (lies) model.graph().set_type(c, tensor_type(c.dtype(), Shape(std::vector<Dim>{Dim(1)})));
      const Report report = fold_constants().run(model);
      INFO(node);
      CHECK(c.producer() != nullptr);
      CHECK(report.notes.empty());
    }
  }
}

TEST_CASE("folding stops where results double, and constants would grow too much in all") {
  const auto kept = [](const std::string& text, const FoldOptions& options) {
    Model model = graph(text);
    const Report report = fixpoint(fold_constants(options)).run(model);
    CHECK(report.converged());
    std::size_t bytes = 0;
    for (const Value* const value : model.graph().initializers()) bytes += value->constant()->bytes().size();
    INFO(bytes);
    CHECK(bytes <= 3000);
    return model.graph().nodes().size();
  };
  std::string twice = "x: f32[1]; d0 = f32[4] 1;", crossed = "x: f32[1]; a0 = f32[4] 1; b0 = f32[4] 2;";
  for (int i = 0; i < 10; ++i) {
    const std::string from = std::to_string(i), to = std::to_string(i + 1);
    twice += "d" + to + " = Concat(d" + from + ", d" + from + ") {axis=0};";
    crossed += "a" + to + " = Concat(a" + from + ", b" + from + ") {axis=0};";
    crossed += "b" + to + " = Concat(b" + from + ", a" + from + ") {axis=0};";
  }
  CHECK(kept(twice + "y = Add(x, d10)", {.max_bytes = 1000}) == 6);
  CHECK(kept(crossed + "y = Sum(x, a10, b10)", {.max_bytes = 100, .max_growth = 2000}) > 6);
  CHECK(kept(crossed + "y = Sum(x, a10, b10)", {.max_growth = 2000}) > 6);
}

TEST_CASE("a large weight that others read is not copied") {
  const std::string tied = "x: f32[N,4]; i: i64[N]; w = f32[8,4] 2; t = Transpose(w) {perm=[1,0]};";
  const std::string gathered = tied + "y = MatMul(x, t); z = Gather(w, i)";
  CHECK(given(gathered).pass(fold_constants({.max_copied_bytes = 100})).becomes(gathered));
  const std::string in_body = tied +
                              "c: bool[]; y = MatMul(x, t); z = If(c) {then_branch={ a = Gather(w, i) }, "
                              "else_branch={ b = Identity(x) }}";
  CHECK(given(in_body).pass(fold_constants({.max_copied_bytes = 100})).becomes(in_body));
  // It is, if it is small; and what nothing else reads goes.
  CHECK(given(gathered)
            .pass(fold_constants({.max_copied_bytes = 128}))
            .becomes("x: f32[N,4]; i: i64[N]; w = f32[8,4] 2; t = f32[4,8] 2; y = MatMul(x, t); "
                     "z = Gather(w, i)"));
  CHECK(given("x: f32[N,4]; c = Constant() {value=f32[8,4] 2}; y = MatMul(x, Transpose(c) {perm=[1,0]})")
            .pass(fold_constants({.max_bytes = 100, .max_copied_bytes = 0}))
            .becomes("x: f32[N,4]; t = f32[4,8] 2; y = MatMul(x, t)"));
  CHECK(given("x: f32[N,4]; c = f32[8,4] 2; y = MatMul(x, Transpose(c) {perm=[1,0]})")
            .pass(fold_constants({.max_bytes = 100, .leaves_large = true}))
            .becomes("x: f32[N,4]; c = f32[8,4] 2; y = MatMul(x, Transpose(c) {perm=[1,0]})"));
  const std::string same = "x: f32[N,8]; c = f32[8,4] 2; y = MatMul(x, Identity(c))";
  CHECK(given(same).pass(fold_constants({.max_bytes = 100})).becomes(same));
}

TEST_CASE("by default a tied weight is not doubled, and constants grow by 16 MiB in all") {
  const std::string tied =
      "x: f32[N,200]; i: i64[N]; w = f32[200,200] random;"
      "y = MatMul(x, Transpose(w) {perm=[1,0]}); z = Gather(w, i)";
  CHECK(given(tied).pass(fold_constants()).becomes(tied));
  // What was made of less is not a copy of others' weights.
  CHECK(given("x: f32[200,200]; y = Add(x, Neg(Expand(f32[1] 1, i64[2] {200, 200})))")
            .pass(fold_constants())
            .becomes("x: f32[200,200]; y = Add(x, f32[200,200] -1)"));
  std::string many = "x: f32[512,512]; a0 = Identity(x);";
  for (int i = 0; i < 40; ++i) {
    const std::string from = std::to_string(i), to = std::to_string(i + 1);
    many += "a" + to + " = Add(a" + from + ", Expand(f32[1] " + to + ", i64[2] {512, 512}));";
  }
  Model model = graph(many + "y = Neg(a40)");
  const Report report = fold_constants().run(model);
  std::size_t bytes = 0;
  for (const Value* const value : model.graph().initializers()) bytes += value->constant()->bytes().size();
  CHECK(bytes > (15u << 20));
  CHECK(bytes <= (17u << 20));
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::Contains("they would grow by more than 16777216 bytes"));
}

TEST_CASE("a user's operators fold with a kernel and a shape function") {
  const Kernel kernel = [](KernelContext& c) {
    Dims dims = c.input(0).dims();
    dims[0] *= 2;
    c.set_output(0, Tensor(c.input(0).dtype(), dims));
  };
  Kernels kernels = Kernels::standard();
  kernels.add("mine::Twice", kernel);
  const InferFunction shape = [](InferContext& c) {
    c.set(0, c.dtype(0), {Dim(2 * c.shape(0)[0].value())});
    return Verdict::yes();
  };
  const auto changes = [&](const OperatorDefinition& definition, const FoldOptions& options) {
    Builder b(17);
    b.import("mine", 1);
    Value& x = b.input("x", DType::f32, {4});
    b.output(b.op("Add", {&x, &b.op("mine::Twice", {&b.constant(Tensor(DType::f32, {2}), "c")})}), "y");
    Model model = b.build();
    Context context;
    context.operators.add("mine::Twice", definition);
    return fold_constants(options).run(model, context).changes;
  };
  CHECK(changes({}, {.kernels = &kernels}) == 0);  // its size is not known
  CHECK(changes({.shape = shape}, {}) == 0);
  CHECK(changes({.shape = shape}, {.kernels = &kernels}) == 1);
  CHECK(changes({.kernel = kernel}, {}) == 0);
  CHECK(changes({.shape = shape, .kernel = kernel}, {}) == 1);
  const OperatorSchema random{.inputs = {{"x"}}, .outputs = {{"y"}}, .deterministic = false};
  CHECK(changes({.schema = random, .shape = shape, .kernel = kernel}, {}) == 0);
}

TEST_CASE("below IR 4, where initializers are inputs, those of bodies stand in the main graph") {
  for (const int ir : {3, 4}) {
    const std::string negated = "Add(x, Neg(Constant() {value=f32[2] 1}))";
    Model model =
        graph("ir " + std::to_string(ir) + "; opset 8; x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = " + negated +
              " }, else_branch={ u = " + negated + " }}");
    CHECK(fold_constants().run(model).changes == 4);
    for (const Graph* const scope : model.scopes())
      CHECK(scope->initializers().size() == ((scope->parent() == nullptr) == (ir < 4) ? 1u : 0u));
    CHECK(verify(model).empty());
  }
}

TEST_CASE("folding stops when it is cancelled, and what is folded stays so") {
  Model model = graph("x: f32[2]; a = f32[2] {1, 2}; b = Neg(a); c = Exp(a); y = Sum(x, b, c)");
  Context context;
  int polls = 0;
  context.cancelled = [&] { return ++polls > 1; };
  const Report report = fold_constants().run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(report.changes == 1);
  CHECK(model.graph().nodes().size() == 2);
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
  CHECK_THAT(report.notes[0], Catch::Contains("left Neg") && Catch::Contains("expected 8 bytes, found 5"));
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

TEST_CASE("Constant nodes alone become initializers where asked for") {
  CHECK(given("x: f32[2]; c = Constant() {value=f32[2] 1}; d = Constant() {value_float=2}; y = Add(x, Mul(c, d))")
            .pass(fold_constants({.only_constants = true}))
            .becomes("x: f32[2]; c = f32[2] 1; d = f32[] 2; y = Add(x, Mul(c, d))"));
}

TEST_CASE("a node stays whose kernel would allocate more than it was given") {
  // 10 columns of 8 elements in 320 bytes.
  const char* const text = "x: f32[8]; y = Mul(x, ConvTranspose(f32[1,1,8] 1, f32[1,2,5] 1) {pads=[2, 2]})";
  CHECK(given(text).pass(fold_constants({.max_working_bytes = 319})).becomes(text));
  CHECK(given(text)
            .pass(fold_constants({.max_working_bytes = 320}))
            .becomes("x: f32[8]; c = f32[1,2,8] {3, 4, 5, 5, 5, 5, 4, 3, 3, 4, 5, 5, 5, 5, 4, 3}; y = Mul(x, c)"));
  CHECK(given("x: f32[2]; a = f32[2] {1, 2}; y = Mul(x, Neg(a))")  // which allocates its result alone
            .pass(fold_constants({.max_working_bytes = 0}))
            .becomes("x: f32[2]; c = f32[2] {-1, -2}; y = Mul(x, c)"));
}
