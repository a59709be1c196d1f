#include <graft/transformer/fuse/scores.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/attention.hpp>
#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;
using namespace graft;

namespace {

std::string softmax_of(std::string_view scores) {
  return "q: f32[B,2,S,4]; k: f32[B,2,4,T]; b: f32[B,2,S,T]; m: f32[B,1,S,T]; c = f32[] -0.5; d = f32[1] 2; "
         "v: f32[B,2,T,4]; y = MatMul(Softmax(" +
         std::string(scores) + ") {axis=-1}, v)";
}

}  // namespace

TEST_CASE("a mask is added") {
  for (const std::string_view scores : {"MatMul(q, k)", "Mul(MatMul(q, k), f32[] 0.5)", "Add(b, MatMul(q, k))",
                                        "Mul(Add(MatMul(q, k), b), f32[] 0.5)"}) {
    const std::string text = softmax_of("Sub(" + std::string(scores) + ", m)");
    CHECK(given(text).rule(subtracted_mask).becomes(softmax_of("Add(" + std::string(scores) + ", Neg(m))")));
    CHECK(given(text).rule(subtracted_mask).equivalent());
  }
  CHECK(given(softmax_of("Sub(b, m)")).rule(subtracted_mask).refuses("Sub"));
  CHECK(given(softmax_of("Sub(Relu(MatMul(q, k)), m)")).rule(subtracted_mask).refuses("Sub"));
}

TEST_CASE("a bias is scaled by itself") {
  for (const std::string_view op : {"Mul($, c)", "Div($, d)"}) {
    const auto scaled = [&](std::string_view operand) {
      std::string text(op);
      return text.replace(text.find('$'), 1, operand);
    };
    const std::string sum = scaled("Add(MatMul(q, k), b)");
    const std::string parts = "Add(" + scaled("MatMul(q, k)") + ", " + scaled("b") + ")";
    for (const std::string_view mask : {"$", "Add($, m)", "Where(Cast(m) {to=9}, $, f32[] -1e38)"}) {
      const auto masked_by = [&](std::string_view given_scores) {
        std::string text(mask);
        return softmax_of(text.replace(text.find('$'), 1, given_scores));
      };
      INFO(masked_by(sum));
      CHECK(given(masked_by(sum)).rule(scaled_score_bias).becomes(masked_by(parts)));
      CHECK(given(masked_by(sum)).rule(scaled_score_bias).equivalent({.atol = 1e-5}));
    }
  }
  CHECK(given(softmax_of("Mul(Add(MatMul(q, k), b), f32[] 2)")).rule(scaled_score_bias).refuses("infinite"));
  CHECK(given(softmax_of("Div(Add(MatMul(q, k), b), f32[] 0.5)")).rule(scaled_score_bias).refuses("infinite"));
}

TEST_CASE("what is hidden before a mask is added is added with it") {
  const std::string shown = "Cast(m) {to=9}";
  for (const std::string_view scores : {"MatMul(q, k)", "Mul(MatMul(q, k), f32[] 0.5)", "Add(b, MatMul(q, k))"}) {
    const std::string s(scores);
    const std::string text = softmax_of("Add(Where(" + shown + ", " + s + ", f32[] -3.4e38), m)");
    INFO(text);
    CHECK(given(text)
              .rule(hidden_then_masked)
              .becomes(softmax_of("Add(" + s + ", Add(Where(" + shown + ", f32[] {-0.0}, f32[] -3.4e38), m))")));
    CHECK(given(text).rule(hidden_then_masked).equivalent());
    const std::string exchanged = softmax_of("Add(m, Where(" + shown + ", f32[] -3.4e38, " + s + "))");
    CHECK(given(exchanged).rule(hidden_then_masked).equivalent());
  }
  CHECK(given(softmax_of("Add(Where(" + shown + ", MatMul(q, k), f32[] -10000), m)"))
            .rule(hidden_then_masked)
            .refuses("low enough"));
}

TEST_CASE("scores that are not attention's keep their form") {
  const std::string text = softmax_of("Sub(Mul(Add(MatMul(q, k), b), f32[] 0.5), m)");
  const std::string sum = softmax_of("Add(Mul(Add(MatMul(q, k), b), f32[] 0.5), m)");
  const auto read_by = [](std::string whole, std::string_view reader) {
    const std::size_t at = whole.find("y = MatMul(");
    whole.replace(at, 11, "p = ");
    whole.replace(whole.rfind(", v)"), 4, "; " + std::string(reader));
    return whole;
  };
  for (const std::string_view reader :
       {"y = Relu(p)", "y = MatMul(p, v); z = Relu(p)", "y = MatMul(v, p)", "return p"}) {
    INFO(reader);
    CHECK(given(read_by(text, reader)).rule(subtracted_mask).refuses("not read by one product alone"));
    CHECK(given(read_by(sum, reader)).rule(scaled_score_bias).refuses("not read by one product alone"));
  }
  static constexpr FusedOperator others[]{{"LayerNormalization"}};
  CHECK_FALSE(fused(text, FusedOperators{"without", others}).run().changed);
}

TEST_CASE("attention as in XLNet is fused") {
  const std::string text =
      "q: f32[B,2,S,4]; k: f32[B,2,S,4]; v: f32[B,2,S,4]; b: f32[B,2,S,S]; m: f32[B,1,S,S]; "
      "s = Sub(Mul(Add(MatMul(q, Transpose(k) {perm=[0,1,3,2]}), b), f32[] 0.5), Mul(m, f32[] 100)); "
      "y = MatMul(Softmax(s) {axis=3}, v)";
  CHECK(operators(fused(text).run()) == "MultiHeadAttention");
  CHECK(fused(text).equivalent({.atol = 1e-5, .dims = {{"B", 2}, {"S", 3}}}));
}

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
  CHECK(refuses(masked("f32[2,6,1,4,4] random"), "extents of the mask and the windows differ"));
  CHECK(refuses(masked("f32[1,1,1,4,4] random"), "extents of the mask and the windows differ"));
  CHECK(refuses(masked("f32[1,6,1,1,4] random"), "extents of the mask and the windows differ"));
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

namespace {

std::string masked_attention(std::string_view mask, std::string_view more = "") {
  return "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; mask: " + std::string(mask) +
         "; pk: f32[B,2,P,4]; pv: f32[B,2,P,4]; y = Attention(q, k, v, mask" + std::string(more) + ")";
}

}  // namespace

TEST_CASE("a mask of one row gets one for each query") {
  for (const std::string_view mask : {"f32[B,1,1,T]", "bool[B,1,1,T]", "f32[1,2,1,T]", "f32[1,T]", "f32[2,1,T]"}) {
    INFO(mask);
    const Trial trial = given(masked_attention(mask)).pass(expand_attention_masks());
    CHECK(trial.equivalent({.dims = {{"T", 4}, {"B", 2}}}));
    CHECK(trial.idempotent());
  }
  const std::string head = "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; mask: f32[B,1,1,T]; ";
  CHECK(given(head + "y = Attention(q, k, k, mask)")
            .pass(expand_attention_masks())
            .becomes(head + "two = i64[1] 2; s = Gather(Shape(q), two); t = Gather(Shape(k), two); "
                            "y = Attention(q, k, k, Expand(mask, Concat(i64[2] 1, s, t) {axis=0}))"));
}

TEST_CASE("the keys of a cache count") {
  const std::string text = masked_attention("f32[B,1,1,7]", ", pk, pv");
  CHECK(given(text).pass(expand_attention_masks()).equivalent({.dims = {{"P", 3}, {"T", 4}, {"B", 2}, {"S", 3}}}));
}

TEST_CASE("a mask of one key gets one for each key") {
  for (const std::string_view mask : {"f32[B,1,S,1]", "f32[S,1]", "f32[B,1,1,1]"}) {
    INFO(mask);
    const Trial trial = given(masked_attention(mask)).pass(expand_attention_masks());
    CHECK(trial.equivalent({.dims = {{"T", 4}, {"B", 2}, {"S", 3}}}));
    CHECK(trial.run().changed);
    CHECK(trial.idempotent());
    const Trial cached = given(masked_attention(mask, ", pk, pv")).pass(expand_attention_masks());
    CHECK(cached.equivalent({.dims = {{"P", 3}, {"T", 4}, {"B", 2}, {"S", 3}}}));
    CHECK(cached.run().changed);
  }
}

TEST_CASE("attentions of one mask share what is expanded") {
  const std::string text =
      "opset 23; q: f32[B,2,S,4]; mask: f32[B,1,1,S]; a = Attention(q, q, q, mask); b = Relu(a); "
      "y = Attention(b, b, b, mask)";
  const Run run = given(text).pass(expand_attention_masks()).run();
  std::size_t expanded = 0;
  for (const Node& node : run.model.graph().nodes()) expanded += node.is("Expand");
  CHECK(expanded == 1);
}

TEST_CASE("other masks are left") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).pass(expand_attention_masks()).refuses(reason);
  };
  CHECK(refuses(masked_attention("f32[B,1,S,T]"), "one row or one key"));
  CHECK(refuses(masked_attention("f32[B,1,R,T]"), "one row or one key"));
  const auto of_one = [](std::string_view queries, std::string_view keys, std::string_view mask) {
    return "opset 23; q: f32[B,2," + std::string(queries) + ",4]; k: f32[B,2," + std::string(keys) +
           ",4]; mask: " + std::string(mask) + "; y = Attention(q, k, k, mask)";
  };
  CHECK(refuses(of_one("1", "T", "f32[B,1,1,T]"), "one query"));
  CHECK(refuses(of_one("S", "1", "f32[B,1,S,1]"), "one key"));
  CHECK(refuses(masked_attention("f32"), "rank 2 to 4"));
  std::string newer = masked_attention("f32[B,1,1,M]");
  CHECK(refuses(newer.replace(newer.find("23"), 2, "24"), "shorter than the keys"));
}
