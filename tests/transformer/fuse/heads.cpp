#include <graft/transformer/fuse/heads.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/transformer_fusions.hpp>
#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;
using namespace graft;

namespace {

const std::string inputs = "opset 23; q: f32[B,S,8]; k: f32[B,T,4]; v: f32[B,T,6]; m: f32[S,T]; ";

std::string split(std::string_view x, std::string_view target) {
  return "Transpose(Reshape(" + std::string(x) + ", i64[4] " + std::string(target) + ")) {perm=[0,2,1,3]}";
}

/// Four heads of queries and two of keys and values.
std::string grouped(std::string_view attributes, std::string_view result = "y") {
  return inputs + std::string(result) + " = Attention(" + split("q", "{0, 0, 4, 2}") + ", " +
         split("k", "{0, 0, 2, 2}") + ", " + split("v", "{0, -1, 2, 3}") + ", m) {" + std::string(attributes) + "}; ";
}

std::string joined(std::string_view target, std::string_view perm = "[0,2,1,3]") {
  return "y = Reshape(Transpose(a) {perm=" + std::string(perm) + "}, i64[3] " + std::string(target) + ")";
}

}  // namespace

TEST_CASE("Attention takes heads apart and joins them itself") {
  const Trial trial = given(grouped("scale=0.5", "a") + joined("{0, 0, 12}")).rule(heads_into_attention);
  CHECK(trial.becomes(inputs + "y = Attention(q, k, v, m) {scale=0.5, q_num_heads=4, kv_num_heads=2}"));
  CHECK(trial.equivalent({.dims = {{"B", 2}, {"S", 3}, {"T", 5}}}));
  CHECK(given(grouped("scale=0.5", "a") + joined("{0, -1, 12}"))
            .rule(heads_into_attention)
            .becomes(inputs + "y = Attention(q, k, v, m) {scale=0.5, q_num_heads=4, kv_num_heads=2}"));
}

TEST_CASE("heads that are joined otherwise, or read elsewhere, stay apart") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(heads_into_attention).refuses(reason);
  };
  CHECK(refuses(grouped("scale=0.5", "a") + joined("{-1, 4, 3}"), "not joined in order"));
  CHECK(refuses(grouped("scale=0.5", "a") + joined("{0, 0, 12}", "[0,1,2,3]"), "perm"));
  CHECK(refuses(grouped("scale=0.5", "a") + "z = Neg(a); " + joined("{0, 0, 12}"), "also used"));
  CHECK(refuses("opset 23; q: f32[B,4,S,2]; a = Attention(q, q, q); " + joined("{0, 0, 8}"), "split its heads"));
}

TEST_CASE("the standard's operators have one Attention for a block, and nothing around it") {
  const std::string scores =
      "s = MatMul(" + split("q", "{0, 0, 4, 2}") + ", Transpose(Reshape(k, i64[4] {0, 0, 4, 2})) {perm=[0,2,3,1]}); ";
  const std::string head = "opset 23; q: f32[B,S,8]; k: f32[B,S,8]; v: f32[B,S,8]; ";
  CHECK(given(head + scores + "a = MatMul(Softmax(Mul(s, f32[] 0.5)), " + split("v", "{0, 0, 4, 2}") + "); " +
              joined("{0, 0, 8}"))
            .pass(transformer_fusions(fused_operators::onnx))
            .becomes(head + "y = Attention(q, k, v) {scale=0.5, q_num_heads=4, kv_num_heads=4}"));
}

namespace {

constexpr std::string_view head =
    "x: f32[B,2,S,3]; n = Gather(Shape(x), i64[] 0); merged = Unsqueeze(Mul(n, i64[] 2), i64[1] 0); ";

std::string with_head(std::string_view statements) { return std::string(head) + std::string(statements); }

const std::string products =
    "p: f32[B,2,S,T]; v: f32[B,2,T,3]; n = Gather(Shape(v), i64[] 0); merged = Unsqueeze(Mul(i64[] 2, n), i64[1] 0); "
    "s = Shape(p) {start=2, end=3}; a = Reshape(p, Concat(merged, s, i64[1] -1) {axis=0}); "
    "b = Reshape(v, Concat(merged, i64[1] -1, i64[1] 3) {axis=0}); m = MatMul(a, b); "
    "batches = Unsqueeze(Div(Gather(Shape(m), i64[] 0), i64[] 2), i64[1] 0); "
    "y = Reshape(m, Concat(batches, i64[1] 2, s, i64[1] 3) {axis=0})";

}  // namespace

TEST_CASE("the steps of merged heads are named") {
  const Trial trial = given("opset 15; " + with_head("y = Reshape(x, Concat(merged, i64[1] -1, i64[1] 3) {axis=0})"))
                          .rule(graft::merged_heads);
  CHECK(
      trial.becomes("opset 15; x: f32[B,2,S,3]; s = Gather(Shape(x), i64[1] 2) {axis=0}; "
                    "y = Reshape(x, Concat(i64[1] -1, s, i64[1] 3) {axis=0})"));
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
}

TEST_CASE("products of merged heads are products of heads") {
  const Trial trial = given("opset 15; " + products).rule(products_of_merged_heads);
  CHECK(trial.becomes("opset 15; p: f32[B,2,S,T]; v: f32[B,2,T,3]; y = MatMul(p, v)"));
  CHECK(trial.equivalent({.dims = {{"B", 3}, {"S", 4}, {"T", 5}}}));
}

TEST_CASE("merged heads that are not known to be such are left") {
  const auto refuses = [](std::string text, std::string_view from, std::string_view to, const RuleView& rule,
                          std::string_view reason) {
    text.replace(text.find(from), from.size(), to);
    return given("opset 15; " + text).rule(rule).refuses(reason);
  };
  const std::string whole = with_head("y = Reshape(x, Concat(merged, i64[1] -1, i64[1] 3) {axis=0})");
  CHECK(refuses(whole, "Mul(n, i64[] 2)", "Mul(n, i64[] 1)", graft::merged_heads, "batches by heads"));
  CHECK(refuses(whole, "Mul(n, i64[] 2)", "Add(n, i64[] 2)", graft::merged_heads, "batches by heads"));
  CHECK(refuses(whole, "i64[1] 3) {", "i64[1] 1) {", graft::merged_heads, "size of heads"));
  const RuleView& rule = products_of_merged_heads;
  CHECK(refuses(products, "v: f32[B,2,T,3]", "v: f32[C,2,T,3]", rule, "batches or heads"));
  CHECK(refuses(products, "Mul(i64[] 2, n)", "Mul(i64[] 1, n)", rule, "batches by heads"));
  CHECK(refuses(products, "i64[1] 2, s, i64[1] 3", "i64[1] 2, i64[1] 3, s", rule, "steps or sizes"));
  // The product would be computed twice.
  CHECK(refuses(products, "batches =", "z = Relu(m); batches =", rule, "also used"));
}

TEST_CASE("attention over heads that a traced graph merges is fused, layer after layer") {
  // BLOOM: positions are added to scores of merged heads, the mask to scores that are split. That a layer puts out the
  // batches that it has read is known from its fused form only.
  const std::string layer =
      "q# = Transpose(Reshape(MatMul(x#, f32[6,6] random), split)) {perm=[0,2,1,3]}; "
      "k# = Transpose(Reshape(MatMul(x#, f32[6,6] random), split)) {perm=[0,2,1,3]}; "
      "v# = Transpose(Reshape(MatMul(x#, f32[6,6] random), split)) {perm=[0,2,1,3]}; "
      "dims# = Shape(x#); n# = Gather(dims#, i64[] 0); s# = Unsqueeze(Gather(dims#, i64[] 1), i64[1] 0); "
      "merged# = Unsqueeze(Mul(n#, i64[] 2), i64[1] 0); whole# = Concat(merged#, i64[1] -1, i64[1] 3) {axis=0}; "
      "scores# = Mul(MatMul(Reshape(q#, whole#), Transpose(Reshape(k#, whole#)) {perm=[0,2,1]}), f32[] 0.25); "
      "biased# = Add(scores#, Reshape(slopes, i64[3] {-1, 1, 0})); "
      "apart# = Reshape(biased#, Concat(Unsqueeze(n#, i64[1] 0), i64[1] 2, s#, i64[1] -1) {axis=0}); "
      "p# = Reshape(Softmax(Add(apart#, mask)) {axis=-1}, Concat(merged#, s#, i64[1] -1) {axis=0}); "
      "h# = MatMul(p#, Reshape(v#, whole#)); batches# = Unsqueeze(Div(Gather(Shape(h#), i64[] 0), i64[] 2), i64[1] 0); "
      "heads# = Reshape(h#, Concat(batches#, i64[1] 2, s#, i64[1] 3) {axis=0}); "
      "flat# = Reshape(Transpose(heads#) {perm=[0,2,1,3]}, i64[3] {0, 0, 6}); ";
  const auto of_layers = [&](int count) {
    std::string text =
        "opset 15; x0: f32[B,S,6]; mask: f32[B,1,S,S]; slopes: f32[B,2,S]; split = i64[4] {0, 0, 2, 3}; ";
    for (int i = 0; i < count; ++i) {
      for (const char each : layer) {
        if (each == '#') text += std::to_string(i);
        else text += each;
      }
      text += "x" + std::to_string(i + 1) + " = Add(x" + std::to_string(i) + ", flat" + std::to_string(i) + "); ";
    }
    return text + "y = Identity(x" + std::to_string(count) + ")";
  };
  const Trial trial = fused(of_layers(3), fused_operators::ort_cpu);
  CHECK(operators(trial.run()) == "AttentionAttentionAttention");
  CHECK(trial.equivalent({.atol = 1e-4, .dims = {{"B", 3}, {"S", 4}}}));
}
