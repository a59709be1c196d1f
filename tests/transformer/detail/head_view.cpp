#include <graft/transformer/detail/head_view.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

namespace {

/// The same of x, [B,S,6].
std::string merged_batches(std::string_view name, std::string_view x) {
  return std::string(name) + " = Reshape(Transpose(Reshape(" + std::string(x) +
         ", i64[4] {0, 0, 2, 3})) {perm=[0,2,1,3]}, Concat(i64[1] -1, n, i64[1] 3) {axis=0}); ";
}
constexpr std::string_view steps_first_inputs = "q: f32[S,B,6]; k: f32[T,B,6]; v: f32[T,B,6]; ";
const std::string steps_first =
    std::string(steps_first_inputs) + heads_in_batch("qh", "q") + heads_in_batch("kh", "k") + heads_in_batch("vh", "v");
constexpr std::string_view steps_first_attention =
    "a = Transpose(q) {perm=[1,0,2]}; b = Transpose(k) {perm=[1,0,2]}; c = Transpose(v) {perm=[1,0,2]}; "
    "o = com.microsoft::MultiHeadAttention(a, b, c) {num_heads=2}; ";

}  // namespace

TEST_CASE("Reshapes that take other batches together stay in front and behind") {
  const std::string graph =
      "q: f32[4,3,6]; k: f32[4,3,6]; v: f32[4,3,6]; split = i64[4] {6, 2, 2, 3}; "
      "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; "
      "vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; h = MatMul(Softmax(MatMul(qh, kt)) {axis=-1}, vh); "
      "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {4, 3, 6})";
  CHECK(operators(fused(graph).run()) == "MultiHeadAttention");
  CHECK(fused(graph).equivalent());
}

TEST_CASE("heads are split again where a factor stands in front of them") {
  const std::string_view inputs =
      "opset 23; q: f32[B,S,6]; k: f32[B,T,6]; v: f32[B,T,6]; split = i64[4] {0, 0, 2, 3}; ";
  const std::string rest =
      "kh = Transpose(Reshape(k, split)) {perm=[0,2,1,3]}; vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; ";
  const std::string graph = std::string(inputs) +
                            "qh = Transpose(Reshape(Mul(q, f32[] 0.25), split)) {perm=[0,2,1,3]}; " + rest +
                            "y = MatMul(Softmax(MatMul(qh, Transpose(kh) {perm=[0,1,3,2]})) {axis=-1}, vh)";
  const std::string expected = std::string(inputs) +
                               "qh = Transpose(Reshape(q, i64[4] {0, 0, 2, 3})) {perm=[0,2,1,3]}; " + rest +
                               "y = Attention(qh, kh, vh) {scale=0.25}";
  check(graph, expected, fused_operators::onnx);
}

TEST_CASE("heads that nothing splits or joins are joined and split") {
  const std::string graph =
      "q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; s = Mul(MatMul(q, Transpose(k) {perm=[0,1,3,2]}), f32[] "
      "0.5); "
      "y = MatMul(Softmax(s) {axis=-1}, v)";
  check(graph,
        "q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; "
        "f = Reshape(Transpose(q) {perm=[0,2,1,3]}, i64[3] {0, 0, 8}); "
        "a = com.microsoft::MultiHeadAttention(f, k, v) {num_heads=2}; "
        "y = Transpose(Reshape(a, i64[4] {0, 0, 2, 4})) {perm=[0,2,1,3]}");
  check(graph,
        "q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; f = Reshape(Transpose(q) {perm=[0,2,1,3]}, i64[3] {0, 0, "
        "8}); "
        "a = com.microsoft::MultiHeadAttention(f, k, v) {num_heads=2}; "
        "y = Transpose(Reshape(a, i64[4] {0, 0, 2, 4})) {perm=[0,2,1,3]}",
        fused_operators::ort_cpu);
}

TEST_CASE("heads that are merged with the batch behind the steps are taken apart") {
  const std::string weighted = steps_first + std::string(merged_scores) + "h = MatMul(Softmax(s) {axis=-1}, vh); ";
  check(weighted + "y = Reshape(Transpose(h) {perm=[1,0,2]}, i64[2] {-1, 6})",
        std::string(steps_first_inputs) + std::string(steps_first_attention) +
            "y = Reshape(Transpose(o) {perm=[1,0,2]}, i64[2] {-1, 6})");
  const std::string to_three = std::string(steps_first_inputs) + heads_in_batch("qh", "q") + heads_in_batch("kh", "k") +
                               heads_in_batch("vh", "v") + std::string(merged_scores) +
                               "h = MatMul(Softmax(s) {axis=-1}, vh); d = Shape(q); "
                               "y = Reshape(Transpose(h) {perm=[1,0,2]}, d)";
  check(to_three,
        std::string(steps_first_inputs) + std::string(steps_first_attention) + "y = Transpose(o) {perm=[1,0,2]}");
  // Something else reads the heads as they are.
  const std::string other = weighted + "y = Relu(h)";
  CHECK(operators(fused(other).run()) == "MultiHeadAttention");
  CHECK(fused(other).equivalent());
}

TEST_CASE("heads that are merged and split again are seen through") {
  const std::string split = "i64[4] {-1, 2, 5, 3}";
  const auto apart = [&](std::string_view name) { return "Reshape(" + std::string(name) + "h, " + split + ")"; };
  const std::string inputs = "q: f32[5,B,6]; k: f32[5,B,6]; v: f32[5,B,6]; ";
  const std::string graph = inputs + heads_in_batch("qh", "q") + heads_in_batch("kh", "k") + heads_in_batch("vh", "v") +
                            "s = Mul(MatMul(" + apart("q") + ", Transpose(" + apart("k") +
                            ") {perm=[0,1,3,2]}), f32[] 0.5773503); h = MatMul(Softmax(s) {axis=-1}, " + apart("v") +
                            "); y = Reshape(Transpose(h) {perm=[2,0,1,3]}, i64[2] {-1, 6})";
  check(graph,
        inputs + std::string(steps_first_attention) + "y = Reshape(Transpose(o) {perm=[1,0,2]}, i64[2] {-1, 6})");
}

TEST_CASE("heads that are merged with the batch in front of the steps are taken apart") {
  const std::string inputs = "q: f32[B,S,6]; k: f32[B,S,6]; v: f32[B,S,6]; ";
  const std::string head =
      inputs + "n = Slice(Shape(q), i64[1] 1, i64[1] 2); b = Slice(Shape(q), i64[1] 0, i64[1] 1); " +
      merged_batches("qh", "q") + merged_batches("kh", "k") + merged_batches("vh", "v") + std::string(merged_scores);
  const std::string tail =
      "h = Reshape(MatMul(p, vh), Concat(b, i64[1] 2, n, i64[1] 3) {axis=0}); "
      "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})";
  check(head + "p = Softmax(s) {axis=-1}; " + tail,
        inputs + "y = com.microsoft::MultiHeadAttention(q, k, v) {num_heads=2}");
  const std::string masked =
      "m: f32[B,1,S,S]; " + head +
      "p = Softmax(Reshape(Add(Reshape(s, Concat(b, i64[1] 2, n, n) {axis=0}), m), Concat(i64[1] "
      "-1, n, n) {axis=0})) {axis=-1}; " +
      tail;
  check(masked, "m: f32[B,1,S,S]; " + inputs + "y = com.microsoft::MultiHeadAttention(q, k, v, _, _, m) {num_heads=2}");
}

TEST_CASE("merged heads that are not known apart are refused") {
  CHECK(fused("q: f32[4,S,3]; y = MatMul(Softmax(MatMul(q, Transpose(q) {perm=[0,2,1]})) {axis=-1}, q)")
            .refuses("not known to be separate"));
}
