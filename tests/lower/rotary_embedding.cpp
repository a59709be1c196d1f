#include <graft/lower/rotary_embedding.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string rotary(std::string_view x, std::string_view positions, int half, std::string_view attributes = "") {
  const std::string table = "f32[8," + std::to_string(half) + "] random; ";
  return "x: f32" + std::string(x) + "; c = " + table + "s = " + table + "y = com.microsoft::RotaryEmbedding(x, " +
         std::string(positions) + ", c, s) {" + std::string(attributes) + "}";
}

std::string joined(std::string_view one, std::string_view other) { return std::string(one) + std::string(other); }

}  // namespace

TEST_CASE("RotaryEmbedding of every form becomes products") {
  struct Form {
    std::string_view x;
    int half;
    std::string_view attributes;
  };
  const Form forms[] = {
      {"[2,3,3,4]", 2, ""},
      {"[B,3,S,4]", 2, "num_heads=3"},
      {"[B,H,S,D]", 2, ""},
      {"[2,3,3,6]", 2, "rotary_embedding_dim=4, num_heads=3"},
      {"[B,3,S,6]", 2, "rotary_embedding_dim=4, num_heads=3"},
      {"[2,3,12]", 2, ""},
      {"[2,3,12]", 2, "num_heads=3"},
      {"[B,S,12]", 2, ""},
      {"[B,S,D]", 2, ""},
      {"[B,S,D]", 2, "num_heads=1"},
      {"[2,3,18]", 2, "rotary_embedding_dim=4, num_heads=3"},
      {"[B,S,D]", 2, "rotary_embedding_dim=4, num_heads=1"},
      {"[2,3,12]", 2, "rotary_embedding_dim=4, num_heads=3"},
  };
  const Equivalence how{.inputs = 6, .atol = 1e-6, .dims = {{"B", 2}, {"S", 3}, {"H", 3}, {"D", 4}}};
  for (const Form& form : forms) {
    for (const std::string_view positions : {"i64[2,3] {0, 1, 2, 7, 3, 3}", "i64[1] 4", "i64[] 5"}) {
      for (const std::string_view order : {"interleaved=0", "interleaved=1"}) {
        const std::string attributes =
            joined(order, form.attributes.empty() ? "" : ", ") + std::string(form.attributes);
        const std::string text = rotary(form.x, positions, form.half, attributes);
        INFO(text);
        CHECK(given(text).pass(decompose_rotary_embeddings()).equivalent(how));
        Model model = graph(text);
        decompose_rotary_embeddings().run(model);
        CHECK(model.opset("com.microsoft") == 0);
        for (const Node& node : model.graph().nodes()) CHECK_FALSE(node.is("com.microsoft::RotaryEmbedding"));
      }
    }
  }
}

TEST_CASE("a RotaryEmbedding of halves becomes these nodes") {
  const std::string head = "x: f32[2,3,3,4]; p: i64[2,3]; c: f32[8,2]; s: f32[8,2]; ";
  const std::string numbers = "u = i64[1] 1; v = i64[1] 2; w = i64[1] {-1}; ";
  const std::string angles = "d = Unsqueeze(Gather(c, p), u); t = Unsqueeze(Gather(s, p), u); ";
  const auto turned = [](const std::string& input) {
    return "a = Slice(" + input + ", i64[1] 0, v, w, u); b = Slice(" + input + ", v, i64[1] 4, w, u);" +
           "y = Concat(Sub(Mul(a, d), Mul(b, t)), Add(Mul(a, t), Mul(b, d))) {axis=-1}";
  };
  CHECK(given(head + "y = com.microsoft::RotaryEmbedding(x, p, c, s)")
            .pass(decompose_rotary_embeddings())
            .becomes(head + numbers + angles + turned("x")));
  CHECK(given(head + "y = com.microsoft::RotaryEmbedding(x, p, c, s) {scale=0.5}")
            .pass(decompose_rotary_embeddings())
            .becomes(head + numbers + "h = Mul(x, f32[] 0.5); " + angles + turned("h")));
}

TEST_CASE("decompose_rotary_embedding refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(decompose_rotary_embedding).refuses(reason);
  };
  const std::string positions = "i64[1] 0";
  CHECK(refuses(joined("opset 12; ", rotary("[1,1,2,4]", positions, 2)), "opset 13"));
  CHECK(refuses(rotary("[1,1,2,4]", positions, 2, "is_packed_batching=1"), "packed"));
  CHECK(refuses(rotary("[1,1,2,6]", positions, 2), "does not match its cosines"));
  CHECK(refuses(rotary("[1,2,6]", positions, 2), "does not match its cosines"));
  CHECK(refuses(rotary("[1,2,8]", positions, 2, "num_heads=3"), "does not match its cosines"));
  CHECK(refuses(rotary("[1,2,12]", positions, 2, "num_heads=4, rotary_embedding_dim=4"), "does not match its cosines"));
  CHECK(refuses(rotary("[1,2,12]", positions, 2, "rotary_embedding_dim=4"), "num_heads"));
  CHECK(refuses(rotary("[1,1,2,6]", positions, 3, "num_heads=1, rotary_embedding_dim=4"), "cosines"));
  CHECK(refuses("x: f32; c: f32[8,2]; y = com.microsoft::RotaryEmbedding(x, i64[1] 0, c, c)", "rank 3 or 4"));
  CHECK(refuses("x: f32[1,1,2,4]; c: f32[8,N]; y = com.microsoft::RotaryEmbedding(x, i64[1] 0, c, c)", "extents"));
  CHECK(refuses("x: f32[1,1,2,4]; p: i64; c: f32[8,2]; y = com.microsoft::RotaryEmbedding(x, p, c, c)", "positions"));
}

namespace {

std::string chosen(std::string_view then_rows, std::string_view else_rows, std::string_view more = "") {
  const auto branch = [](std::string_view rows, const std::string& name) {
    const std::string type = "f32[" + std::string(rows) + ",2] random(0, 1, " + (name == "t" ? "1" : "2") + "); ";
    return "{ " + name + "c = " + type + name + "s = " + type + name + "d = Identity(" + name + "c); " + name +
           "e = Identity(" + name + "s); return " + name + "d, " + name + "e }";
  };
  return "n: i64[]; x: f32[1,1,2,4]; p: i64[1,2]; g = Greater(n, i64[] 4);"
         "c, s = If(g) {then_branch=" +
         branch(then_rows, "t") + ", else_branch=" + branch(else_rows, "e") +
         "};"
         "y = com.microsoft::RotaryEmbedding(x, p, c, s)" +
         std::string(more);
}

std::int64_t rows_left(const Model& model) {
  for (const Node& node : model.graph().nodes())
    if (node.is("com.microsoft::RotaryEmbedding")) return node.input(2)->constant()->dims()[0];
  return 0;
}

}  // namespace

TEST_CASE("the small cache, or the large one, takes the place of the choice") {
  for (const bool large_first : {false, true}) {
    for (const bool large : {false, true}) {
      Model model = large_first ? graph(chosen("16", "8")) : graph(chosen("8", "16"));
      CHECK(single_rope_caches(large).run(model).changes == 1);
      CHECK(rows_left(model) == (large ? 16 : 8));
      for (const Node& node : model.graph().nodes()) {
        CHECK_FALSE(node.is("If"));
        CHECK_FALSE(node.is("Greater"));
      }
      CHECK(model.graph().inputs().size() == 3);
    }
  }
}

TEST_CASE("without a word the small cache stays") {
  Model model = graph(chosen("16", "8"));
  sweep(single_rope_cache).run(model);
  CHECK(rows_left(model) == 8);
}

TEST_CASE("choices of anything else stay") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(single_rope_cache, keeps_large_cache = false).refuses(reason);
  };
  CHECK(refuses(chosen("8", "8"), "more rows"));
  CHECK(refuses(chosen("8", "16", "; z = Neg(c)"), "not caches"));
  CHECK(refuses("b: bool[]; x: f32[8,2]; y = If(b) {then_branch={ t = Neg(x) }, else_branch={ e = Abs(x) }}",
                "not caches"));
}
