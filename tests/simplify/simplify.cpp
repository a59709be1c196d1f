#include <graft/simplify/simplify.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/verify.hpp>
#include <graft/surgery/inputs.hpp>
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

/// Simplifies a copy of the model: whether it has no contradictions that it did not have before, and computes the
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
  const Trial trial = given(
                          "x: f32[1,2,6,6]; w = f32[3,2,3,3] random; s = f32[3] random(0.5, 2); c = bool[] true;"
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

TEST_CASE("known facts about a value outlive it, so that the first run reaches the end") {
  for (const char* const text :
       {// A new Reshape, whose unknown extent was given a name when the old one was still there.
        "x: f32[A,B,B,8]; y = Div(Reshape(Reshape(Abs(x), i64[1] -1), i64[2] {-1, 32}), f32[] 1)",
        "x: f32[N,4]; v = Reshape(Reshape(Relu(x), i64[1] -1), i64[2] {8, -1}); y = Expand(v, i64[1] 1)",
        // An output is declared more exactly than what is left to make it.
        "x: f32[4]; s: f32[N]; y = Transpose(Reshape(x, Cast(s) {to=7})) {perm=[0,1]} : f32[1,4];"
        "z = Slice(Slice(y, i64[1] 0, i64[1] 9, i64[1] -2, i64[1] 2), i64[1] 3, i64[1] 9, i64[1] 1); return y, z"})
    CHECK(given(text).pass(simplify()).idempotent());
}

namespace {

/// A model that declares these types of inner values and outputs.
Model declaring(const std::string& text, const std::vector<std::pair<std::string, std::string>>& types) {
  onnx::ModelProto proto = graph(text).proto();
  auto& infos = *proto.mutable_graph();
  infos.clear_value_info();
  for (const auto& [name, type] : types) {
    onnx::ValueInfoProto* info = nullptr;
    for (onnx::ValueInfoProto& output : *infos.mutable_output())
      if (output.name() == name) info = &output;
    if (info == nullptr) info = infos.add_value_info();
    info->set_name(name);
    *info->mutable_type() = graph("t: " + type + "; o = Identity(t)").proto().graph().input(0).type();
  }
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("nothing is folded from declared types that do not hold, and each is one warning") {
  struct Case {
    std::string text;
    std::vector<std::pair<std::string, std::string>> types;
    std::string_view becomes;
    std::vector<std::string> warnings;
  };
  const std::vector<Case> cases{
      {"x: f32[N,2]; h = Relu(x); y = Shape(h)",
       {{"h", "f32[1,2]"}},
       "x: f32[N,2]; h = Relu(x); y = Shape(h)",
       {"'h' is declared as f32[1,2], but f32[N,2] is inferred"}},
      {"x: f32[1]; k = f32[2] {1, 2}; y = Add(Cast(Shape(k)) {to=1}, x)",
       {{"k", "f32[7]"}},
       "x: f32[1]; y = Add(f32[1] 2, x)",
       {"'k' is declared as f32[7], but f32[2] is inferred"}},
      {"x: f32[1,3,6,6]; w = f32[5,3,3,3] random; s = Shape(Conv(x, w)); y = Add(s, s)",
       {{"w", "f32[8,3,3,3]"}},
       "x: f32[1,3,6,6]; y = Identity(i64[4] {2, 10, 8, 8})",
       {"'w' is declared as f32[8,3,3,3], but f32[5,3,3,3] is inferred"}},
      {"x: f32[1,2,5,5]; p = MaxPool(x) {ceil_mode=1, kernel_shape=[2,2], strides=[2,2]}; y = Shape(p)",
       {{"p", "f32[1,2,2,2]"}},
       "x: f32[1,2,5,5]; y = Identity(i64[4] {1, 2, 3, 3})",
       {"'p' is declared as f32[1,2,2,2], but f32[1,2,3,3] is inferred"}},
      {"x: f32[N]; z: f32[K]; a = Relu(x); y = Expand(z, Shape(a))",
       {{"a", "f32[K]"}},
       "x: f32[N]; z: f32[K]; y = Expand(z, Shape(Relu(x)))",
       {"'a' is declared as f32[K], but f32[N] is inferred"}},
      // Nothing but the declared type knows this.
      {"x: f32[N]; h = NonZero(x); y = Shape(h)", {{"h", "i64[1,4]"}}, "x: f32[N]; y = Identity(i64[2] {1, 4})", {}},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    Model model = declaring(one.text, one.types);
    Context context;
    std::vector<std::string> log;
    context.log = [&log](std::string_view text) { log.emplace_back(text); };
    const Report report = simplify().run(model, context);
    CHECK(report.converged());
    CHECK(isomorphic(model, graph(one.becomes)));
    CHECK(log == one.warnings);
    CHECK(simplify().run(model, context).changes == 0);
    CHECK(log == one.warnings);
  }
}

TEST_CASE("simplify does not copy a large weight for what does nothing with it") {
  const auto simplified = [](const std::string& text) {
    Model model = graph(text);
    const Tensor before = *model.graph().find("w")->constant();
    const Report report = simplify().run(model);
    CHECK(report.converged());
    const Value* const w = model.graph().find("w");
    const bool is_kept =
        w != nullptr && w->initializer() != nullptr && w->constant()->bytes().data() == before.bytes().data();
    return std::to_string(model.graph().nodes().size()) + (is_kept ? " kept" : "");
  };
  const std::string start = "x: f32[N,600]; w = f32[600,600] random; ";
  CHECK(simplified(start + "y = MatMul(x, Identity(w))") == "1 kept");
  CHECK(simplified(start + "y = MatMul(x, Reshape(w, i64[2] {600, 600}))") == "1 kept");
  CHECK(simplified(start + "t = Transpose(w) {perm=[1,0]}; y = MatMul(x, Transpose(t) {perm=[1,0]})") == "1 kept");
  CHECK(simplified(start + "y = MatMul(x, Mul(w, f32[] 1))") == "1 kept");
  // What does something is computed, once.
  CHECK(simplified(start + "y = MatMul(x, Transpose(w) {perm=[1,0]})") == "1");
  CHECK(simplified(start + "y = MatMul(x, Transpose(Mul(w, f32[] 2)) {perm=[1,0]})") == "1");
}

TEST_CASE("the models of reports are done in one run", "[data]") {
  TEST_DATA(folder, "reports");
  for (const char* const name :
       {"reshape_overridable_target", "reshape_two_targets", "stale_initializer", "stale_weight", "stale_batch",
        "contradicted", "contradicted_symbol", "problem_known_before", "problem_unchanged", "dropout_mask"}) {
    const std::filesystem::path path = folder / (std::string(name) + ".onnx");
    is_done_in_one_run(path);
    stays_what_it_was(path);
  }
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
  const std::string three =
      "x: f32[2,5,2]; q = f32[2,1] random; k = f32[2,2] random;"
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

TEST_CASE("weights are kept even where asked only") {
  const std::string spread =
      "x: f32[4,3]; f = Mul(x, f32[3] {1, 100, 1}); w = f32[3,2] {1, -1, 0.5, 1, -1, 0.8};"
      "y = Gemm(f, w)";
  CHECK(given(spread).pass(simplify({.keep_weights_even = true})).becomes(spread));
  CHECK(given(spread).pass(simplify()).run().model.graph().nodes().size() == 1);
  const std::string alike =
      "x: f32[4,3]; f = Mul(x, f32[3] {1, 2, 1}); w = f32[3,2] {1, -1, 0.5, 1, -1, 0.8};"
      "y = Gemm(f, w)";
  CHECK(given(alike).pass(simplify({.keep_weights_even = true})).run().model.graph().nodes().size() == 1);
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
