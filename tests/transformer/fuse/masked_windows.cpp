#include <graft/transformer/fuse/masked_windows.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/attention.hpp>

#include "transformer/attention_graphs.hpp"

using namespace graft;

namespace {

const std::string scores = "q: f32[W,2,4,3]; k: f32[W,2,3,4]; s = MatMul(q, k); ";

std::string masked(std::string_view mask, std::string_view apart = "{-1, 6, 2, 4, 4}",
                   std::string_view together = "{-1, 2, 4, 4}") {
  return scores + "m = " + std::string(mask) + "; a = Reshape(s, i64[5] " + std::string(apart) +
         "); t = Reshape(Add(a, m), i64[4] " + std::string(together) + "); y = Softmax(t) {axis=-1}";
}

}  // namespace

TEST_CASE("masks of windows are repeated for the images") {
  const auto repeated = [](std::string_view mask, std::string_view heads) {
    return scores + "m = " + std::string(mask) + "; w = Gather(Shape(q), i64[1] 0) {axis=0};" +
           "e = Expand(m, Concat(Div(w, i64[1] 6), i64[4] {1, 1, 1, 1}) {axis=0}); r = Reshape(e, Concat(w, i64[3] {" +
           std::string(heads) + ", 4, 4}) {axis=0}); y = Softmax(Add(s, r)) {axis=-1}";
  };
  for (const std::string_view heads : {"1", "2"}) {
    const std::string mask = "f32[1,6," + std::string(heads) + ",4,4] random";
    CHECK(given(masked(mask)).rule(masked_windows).becomes(repeated(mask, heads)));
    CHECK(given(masked(mask)).rule(masked_windows).equivalent({.dims = {{"W", 12}}}));
  }
}

TEST_CASE("masked_windows refuses") {
  const auto refuses = [](const std::string& graph, std::string_view reason) {
    return given(graph).rule(masked_windows).refuses(reason);
  };
  const std::string mask = "f32[1,6,1,4,4] random";
  CHECK(refuses(masked("f32[6,1,4,4] random"), "rank 5"));
  CHECK(refuses(masked("f32[2,6,1,4,4] random"), "other extents"));
  CHECK(refuses(masked("f32[1,1,1,4,4] random"), "other extents"));
  CHECK(refuses(masked("f32[1,6,1,1,4] random"), "other extents"));
  CHECK(refuses(masked(mask, "{-1, 6, 2, 4, 4}", "{-1, 4, 2, 4}"), "reshaped to other"));
  std::string read_twice = masked(mask);
  CHECK(refuses(read_twice + "; z = Relu(t)", "no Softmax"));
  std::string no_product = masked(mask);
  no_product.replace(no_product.find("s = MatMul(q, k)"), 16, "s: f32[W,2,4,4]");
  CHECK(refuses(no_product, "not those of attention"));
  std::string cosines = masked(mask);  // as Swin 2 has them: attention takes no scale for each head
  cosines.replace(cosines.find("MatMul(q, k)"), 12, "Mul(MatMul(q, k), f32[2,1,1] random)");
  CHECK(refuses(cosines, "not those of attention"));
}

TEST_CASE("attention over masked windows is fused") {
  const std::string graph =
      "x: f32[N,8,8,6]; p = Transpose(Reshape(x, i64[6] {-1, 2, 4, 2, 4, 6})) {perm=[0,1,3,2,4,5]};"
      "w = Reshape(p, i64[3] {-1, 16, 6}); split = i64[4] {0, 0, 2, 3};"
      "q = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,1,3]};"
      "k = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,3,1]};"
      "v = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,1,3]};"
      "s = Add(Mul(MatMul(q, k), f32[] 0.01), f32[1,2,16,16] random);"
      "m = Add(Reshape(s, i64[5] {-1, 4, 2, 16, 16}), f32[1,4,1,16,16] random);"
      "h = MatMul(Softmax(Reshape(m, i64[4] {-1, 2, 16, 16})) {axis=-1}, v);"
      "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})";
  const Trial trial = given(graph).pass(fuse_attention(fused_operators::ort_cpu));
  CHECK(attention_graphs::operators(trial.run()) == "Attention");
  CHECK(trial.equivalent({.atol = 1e-4, .rtol = 1e-4, .dims = {{"N", 3}}}));
}

TEST_CASE("attention over masks that a traced graph repeats for the images is fused") {
  const std::string graph =
      "x: f32[N,8,8,6]; p = Transpose(Reshape(x, i64[6] {-1, 2, 4, 2, 4, 6})) {perm=[0,1,3,2,4,5]};"
      "w = Reshape(p, i64[3] {-1, 16, 6}); split = i64[4] {0, 16, -1, 3};"
      "q = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,1,3]};"
      "k = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,3,1]};"
      "v = Transpose(Reshape(Add(MatMul(w, f32[6,6] random), f32[6] random), split)) {perm=[0,2,1,3]};"
      "n = Div(Gather(Shape(w), i64[1] 0), i64[1] 4);"
      "e = Expand(f32[1,4,1,16,16] random, Concat(n, i64[4] {1, 1, 1, 1}) {axis=0});"
      "m = Add(Reshape(e, i64[4] {-1, 1, 16, 16}), f32[1,2,16,16] random);"
      "h = MatMul(Softmax(Add(Mul(MatMul(q, k), f32[] 0.01), m)) {axis=-1}, v);"
      "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})";
  const Trial trial = given(graph).pass(fuse_attention(fused_operators::ort_cpu));
  CHECK(attention_graphs::operators(trial.run()) == "Attention");
  CHECK(trial.equivalent({.atol = 1e-4, .rtol = 1e-4, .dims = {{"N", 3}}}));
}
