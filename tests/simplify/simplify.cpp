#include <graft/simplify/simplify.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/verify.hpp>
#include <graft/surgery/freeze_inputs.hpp>
#include <graft/testing.hpp>

#include "support/data.hpp"

using namespace graft;

namespace {

std::vector<std::filesystem::path> models_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".onnx") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Simplifies a copy of the model, if it can be read, again and after it was written: nothing is left to do.
void is_done_in_one_run(const std::filesystem::path& path) {
  INFO(path);
  std::optional<Model> model;
  try {
    model = Model::load(path);
  } catch (const Error&) {
    return;
  }
  CHECK(simplify().run(*model).converged());
  CHECK(simplify().run(*model).changes == 0);
  Model again(onnx::ModelProto(model->commit()));
  CHECK(simplify().run(again).changes == 0);
}

/// Simplifies a copy of the model: whether it says nothing against itself that it did not say before, and computes the
/// same where it can be run. Some fixtures contradict what follows for their types: this is so before, too.
void stays_what_it_was(const std::filesystem::path& path) {
  INFO(path);
  Model before = Model::load(path), after = Model::load(path);
  infer_shapes(before.graph());
  const std::size_t problems = verify(before).size();
  const Report report = simplify().run(after);
  CHECK(report.converged());
  CHECK(verify(after).size() <= problems);
  CHECK(after.graph().nodes().size() <= before.graph().nodes().size());
  const TestResult same = equivalent(before.graph(), after.graph(), {.inputs = 3, .atol = 1e-4});
  const bool cannot_run = !same && same.message().find("the graph cannot be evaluated") == 0;
  if (!cannot_run) CHECK(same);
}

}  // namespace

TEST_CASE("simplify takes one thing after the other until nothing changes") {
  CHECK(given("x: f32[2,3,4]; w = f32[4,4] random; c = f32[4] 2;"
              "s = Shape(x); b = Gather(s, i64[] 0); n = Concat(Unsqueeze(b, i64[1] 0), i64[1] -1) {axis=0};"
              "a = Identity(Reshape(Reshape(x, i64[1] -1), i64[3] {2, 3, 4}));"
              "p = Transpose(Transpose(a) {perm=[0,2,1]}) {perm=[0,2,1]};"
              "y = Reshape(Mul(p, Sqrt(Mul(c, c))), n)")
            .pass(simplify())
            .becomes("x: f32[2,3,4]; d = f32[4] 2; y = Reshape(Mul(x, d), i64[2] {2, -1})"));
}

TEST_CASE("simplify folds constants along the channels, and knows activations by their spellings") {
  CHECK(given("x: f32[1,2,N,4]; w = f32[2,2,1,1] {1, 2, 3, 4};"
              "a = Sub(Mul(Conv(Div(x, f32[] 0.5), w), f32[2,1,1] {2, 1}), f32[2,1,1] {5, 6});"
              "r = Min(Max(a, f32[] 0), f32[] 6);"
              "y = Div(Mul(r, Min(Max(Add(r, f32[] 3), f32[] 0), f32[] 6)), f32[] 6)")
            .pass(simplify())
            .becomes("x: f32[1,2,N,4];"
                     "a = Conv(x, f32[2,2,1,1] {4, 8, 6, 8}, f32[2] {-5, -6});"
                     "y = HardSwish(Clip(a, f32[] 0, f32[] 6))"));
}

TEST_CASE("simplify is idempotent, and leaves nothing behind") {
  const Trial trial =
      given("x: f32[1,2,6,6]; w = f32[3,2,3,3] random; s = f32[3] random(0.5, 2); c = bool[] true;"
            "h = BatchNormalization(Conv(Pad(x, i64[8] {0,0,1,1,0,0,1,1}), w), s, s, s, s);"
            "i = If(c) {then_branch={ t = Add(h, f32[3,1,1] {1, 2, 3}) }, else_branch={ u = Neg(h) }};"
            "y = Flatten(Dropout(i))")
          .pass(simplify());
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
  CHECK(trial.tidy());
  Model model = trial.run().model;
  CHECK(model.graph().nodes().size() == 2);
}

TEST_CASE("what is known of a value outlives it, so that the first run reaches the end") {
  for (const char* const text :
       {// A new Reshape, whose unknown extent was given a name when the old one was still there.
        "x: f32[A,B,B,8]; y = Div(Reshape(Reshape(Abs(x), i64[1] -1), i64[2] {-1, 32}), f32[] 1)",
        "x: f32[N,4]; v = Reshape(Reshape(Relu(x), i64[1] -1), i64[2] {8, -1}); y = Expand(v, i64[1] 1)",
        // An output is declared more exactly than what is left to make it.
        "x: f32[4]; s: f32[N]; y = Transpose(Reshape(x, Cast(s) {to=7})) {perm=[0,1]} : f32[1,4];"
        "z = Slice(Slice(y, i64[1] 0, i64[1] 9, i64[1] -2, i64[1] 2), i64[1] 3, i64[1] 9, i64[1] 1); return y, z"})
    CHECK(given(text).pass(simplify()).idempotent());
}

TEST_CASE("all models are done after one run", "[data]") {
  TEST_DATA(data, "");
  for (const char* const folder : {"faults", "fixtures", "models", "transformers", "qonnx"}) {
    if (!std::filesystem::exists(data / folder)) continue;
    for (const auto& model : models_below(data / folder)) is_done_in_one_run(model);
  }
}

TEST_CASE("the fixtures stay what they were", "[data]") {
  TEST_DATA(folder, "fixtures/transform");
  const auto paths = models_below(folder);
  CHECK(paths.size() > 70);
  for (const auto& path : paths) stays_what_it_was(path);
}

TEST_CASE("whole nets stay what they were", "[slow][data]") {
  for (const char* const name : {"models", "transformers"}) {
    TEST_DATA(folder, name);
    for (const auto& path : models_below(folder)) stays_what_it_was(path);
  }
}

TEST_CASE("transformers split their heads without arithmetic", "[data]") {
  TEST_DATA(folder, "transformers");
  const auto exported = folder / "bert2_eager_erf_ts17.onnx";
  Model model = Model::load(std::filesystem::exists(exported) ? exported : folder / "exported_17.onnx");
  simplify().run(model);
  std::size_t shapes = 0;
  for (const Node& node : model.graph().nodes()) {
    if (node.is("Reshape")) CHECK(node.input(1)->is_constant());
    shapes += node.is("Shape") ? 1 : 0;
  }
  CHECK(shapes <= 1);  // the one of the positions
}

TEST_CASE("what simplify does where asked only") {
  const std::string three = "x: f32[2,5,2]; q = f32[2,1] random; k = f32[2,2] random;"
                            "a = Add(MatMul(x, q), f32[1] 7); b = Relu(Add(MatMul(x, k), f32[2] {8, 9}))";
  CHECK(given(three).pass(simplify()).becomes(three));
  const Trial merged = given(three).pass(simplify({.merge_matmuls = true}));
  CHECK(merged.equivalent());
  CHECK(merged.idempotent());
  CHECK(merged.run().model.graph().nodes().size() == 4);
  const Trial multiplied = given(three).pass(simplify({.gemm_of_batches = true}));
  CHECK(multiplied.equivalent());
  CHECK(multiplied.idempotent());
  const Model model = multiplied.run().model;
  CHECK(std::ranges::count_if(model.graph().nodes(), [](const Node& node) { return node.is("Gemm"); }) == 2);
}

TEST_CASE("unfolded BatchNormalizations and chains of Shape go", "[slow][data]") {
  TEST_DATA(path, "models/ultraface_rfb320.onnx");
  Model model = Model::load(path);
  (freeze_inputs() | simplify()).run(model);
  for (const Node& node : model.graph().nodes()) {
    CHECK_FALSE(node.is("BatchNormalization"));
    CHECK_FALSE(node.is("Shape"));
    CHECK_FALSE(node.is("Constant"));
  }
}
