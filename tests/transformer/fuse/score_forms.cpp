#include <graft/transformer/fuse/score_forms.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

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

TEST_CASE("scores that are no attention's keep their form") {
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
    CHECK(given(read_by(text, reader)).rule(subtracted_mask).refuses("no product alone"));
    CHECK(given(read_by(sum, reader)).rule(scaled_score_bias).refuses("no product alone"));
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
