#include <graft/lower/attention_mask.hpp>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Report run(Model& model, float threshold = -3e30F, float replacement = -1e4F) {
  Context context;
  context.refusals = true;
  return replace_attention_mask_values(threshold, replacement).run(model, context);
}

std::vector<float> floats_of(const Model& model, std::string_view name) {
  return model.graph().find(name)->constant()->to<float>();
}

}  // namespace

TEST_CASE("values below the threshold are replaced in initializers, Constants and ConstantOfShape") {
  CHECK(given("x: f32[2]; m = f32[2] {0, -3.4e38}; y = Add(x, m)")
            .pass(replace_attention_mask_values())
            .becomes("x: f32[2]; y = Add(x, f32[2] {0, -10000})"));
  CHECK(given("x: f32[2]; s: i64[1]; y = Add(x, ConstantOfShape(s) {value=f32[1] -3.4e38})")
            .pass(replace_attention_mask_values())
            .becomes("x: f32[2]; s: i64[1]; y = Add(x, ConstantOfShape(s) {value=f32[1] -10000})"));
  Model model = graph(
      "x: f32[2]; a = Constant() {value_float=-3.4e38}; b = Constant() {value_floats=[-3.4e38, 1.0]};"
      "c = Constant() {value=f32[] -3.4e38}; y = Add(Mul(x, a), Where(Equal(b, x), c, x))");
  CHECK(run(model).changes == 2);  // Equal reads b
  CHECK(floats_of(model, "a") == std::vector<float>{-1e4F});
  CHECK(floats_of(model, "b")[0] < -1e38F);
  CHECK(floats_of(model, "c") == std::vector<float>{-1e4F});
}

TEST_CASE("infinity counts, the threshold itself does not") {
  Model model = graph("x: f32[3]; m = f32[3] {-5, -4, -6}; y = Add(x, m)");
  Tensor tensor = Tensor::of<float>({3}, {-INFINITY, -4, -5});
  model.graph().set_initializer(*model.graph().find("m"), tensor);
  CHECK(run(model, -4, -1).changes == 1);
  CHECK(floats_of(model, "m") == std::vector<float>{-1, -4, -1});
}

TEST_CASE("other dtypes, other readers and overridable initializers stay") {
  const auto stays = [](std::string_view text, std::string_view why) {
    Model model = graph(text);
    const Report report = run(model);
    CHECK(report.changes == 0);
    if (!why.empty()) {
      REQUIRE(report.refusals.size() == 1);
      CHECK(report.refusals[0].why.find(why) != std::string::npos);
    }
  };
  stays("x: f64[2]; y = Add(x, f64[2] -3.4e38)", "");
  stays("x: f32[2]; m = f32[2] -3.4e38; y = Add(x, m); z = Neg(m)", "Neg");
  stays("x: f32[2]; m = f32[2] -3.4e38; y = Add(x, m); return y, m", "graph output");
  stays("x: f32[2]; m: f32[2] = -3.4e38; y = Add(x, m)", "");
  stays("x: f32[2]; y = Add(x, f32[2] -2e30)", "");
}

TEST_CASE("readers inside bodies count") {
  Model model = graph(
      "c: bool[]; x: f32[2]; m = f32[2] -3.4e38;"
      "y = If(c) {then_branch={ t = Add(x, m) }, else_branch={ e = Neg(x) }}");
  CHECK(run(model).changes == 1);
  Model read = graph(
      "c: bool[]; x: f32[2]; m = f32[2] -3.4e38; z = Add(x, m);"
      "y = If(c) {then_branch={ t = Neg(m) }, else_branch={ e = Neg(x) }}; return y, z");
  CHECK(run(read).changes == 0);
}

TEST_CASE("a threshold that is not a number is refused") { CHECK_THROWS_AS(replace_attention_mask_values(NAN), Error); }
