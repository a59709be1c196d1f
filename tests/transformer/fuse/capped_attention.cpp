#include <graft/transformer/fuse/capped_attention.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

namespace {

constexpr std::string_view head = "opset 23; q: f32[B,2,S,8]; k: f32[B,2,S,8]; v: f32[B,2,S,8]; m: f32[B,1,S,S]; ";

std::string capped(std::string_view scores, std::string_view start = head) {
  return std::string(start) + "s = MatMul(q, Transpose(k) {perm=[0,1,3,2]}); y = MatMul(Softmax(" +
         std::string(scores) + ") {axis=-1}, v)";
}

/// Hides what is behind each query.
constexpr std::string_view causal_mask =
    "steps = Squeeze(Shape(q) {start=2, end=3}); r = Range(i64[] 0, steps, i64[] 1); "
    "c = Where(LessOrEqual(Unsqueeze(r, i64[1] 0), Unsqueeze(r, i64[1] 1)), f32[] 0, f32[] -3e38); ";

}  // namespace

TEST_CASE("capped attention of every spelling becomes main-domain Attention with softcap") {
  const std::string fused_by = std::string(head) + "y = Attention(q, k, v, m) {scale=0.25, softcap=2.0}";
  for (const std::string_view scores :
       {"Add(Mul(Tanh(Div(Mul(s, f32[] 0.25), f32[] 2)), f32[] 2), m)",
        "Add(m, Mul(f32[1] 2, Tanh(Mul(Mul(s, f32[] 0.25), f32[] 0.5))))",
        "Add(Mul(Tanh(Div(s, f32[] 8)), f32[] 2), m)", "Add(Mul(Tanh(Mul(f32[] 0.125, s)), f32[] 2), m)"})
    check(capped(scores), fused_by, fused_operators::onnx);
  check(capped("Mul(Tanh(s), f32[] 2)"), std::string(head) + "y = Attention(q, k, v) {scale=2.0, softcap=2.0}",
        fused_operators::onnx);
}

TEST_CASE("capped attention that is known to be causal becomes GroupQueryAttention") {
  const std::string start = std::string(head) + std::string(causal_mask);
  const std::string alone = capped("Add(Mul(Tanh(Div(s, f32[] 8)), f32[] 2), c)", start);
  const Trial trial = fused(alone, fused_operators::ort_cpu);
  CHECK(operators(trial.run()) == "GroupQueryAttention");
  CHECK(trial.equivalent({.atol = 1e-5, .dims = {{"B", 3}, {"S", 5}}}));
  const std::string groups =
      "opset 18; q: f32[B,4,S,8]; keys: f32[B,2,S,8]; values: f32[B,2,S,8]; g = i64[5] {1, 1, 2, 1, 1}; "
      "h = i64[4] {0, 4, -1, 8}; k = Reshape(Expand(Unsqueeze(keys, i64[1] 2), g), h); "
      "v = Reshape(Expand(Unsqueeze(values, i64[1] 2), g), h); ";
  const Trial grouped = fused(capped("Add(Mul(Tanh(Div(s, f32[] 8)), f32[] 2), c)", groups + std::string(causal_mask)),
                              fused_operators::ort_cpu);
  CHECK(operators(grouped.run()) == "GroupQueryAttention");
  CHECK(grouped.equivalent({.atol = 1e-5, .dims = {{"B", 3}, {"S", 5}}}));
}

TEST_CASE("what capped scores want of the runtime is noted") {
  const auto notes = [](const std::string& text, const FusedOperators& runtime) {
    Model model = graph(text);
    return fuse_attention(runtime).run(model).notes;
  };
  const std::string text = capped("Add(Mul(Tanh(Div(s, f32[] 8)), f32[] 2), m)");
  REQUIRE(notes(text, fused_operators::onnx).size() == 1);
  CHECK(notes(text, fused_operators::onnx)[0].find("before it masks") != std::string::npos);
  CHECK(notes(text, fused_operators::ort_cpu).empty());
}

TEST_CASE("capped_attention through all variants") {
  const std::string text = capped("Add(Mul(Tanh(Div(s, f32[] 8)), f32[] 2), m)");
  CHECK(variants(fuse_attention(fused_operators::onnx), text, {.inputs = 6, .atol = 1e-5}));
}

TEST_CASE("capped_attention refuses") {
  const auto refuses = [](std::string_view scores, std::string_view reason,
                          const FusedOperators& runtime = fused_operators::onnx) {
    return fused(capped(scores), runtime).refuses(reason);
  };
  CHECK(refuses("Add(Mul(Tanh(s), f32[] -2), m)", "not positive"));
  CHECK(refuses("Add(Mul(Tanh(Add(s, m)), f32[] 2), m)", "MatMul"));
  // GroupQueryAttention takes as many new keys as queries.
  const auto is_left = [](std::string_view queries, std::string_view scores_of_s) {
    const std::string start = "opset 18; q: f32[B,2," + std::string(queries) +
                              ",8]; k: f32[B,2,6,8]; v: f32[B,2,6,8]; m = f32[3,6] {0, -3e38, -3e38, -3e38, -3e38, "
                              "-3e38, 0, 0, -3e38, -3e38, -3e38, -3e38, 0, 0, 0, -3e38, -3e38, -3e38}; ";
    return operators(fused(capped(scores_of_s, start), fused_operators::ort_cpu).run()).empty();
  };
  CHECK(is_left("1", "Mul(Tanh(s), f32[] 2)"));
  CHECK(is_left("3", "Add(Mul(Tanh(s), f32[] 2), m)"));
  // The kernel caps the sum of scores and mask up to release 1.27.
  CHECK(refuses("Add(Mul(Tanh(s), f32[] 2), m)", "no operator", fused_operators::ort_cpu));
}
