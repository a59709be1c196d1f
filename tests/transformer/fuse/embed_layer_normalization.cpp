#include <graft/transformer/fuse/embed_layer_normalization.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

using namespace graft;

TEST_CASE("embed_layer_normalization says that negative indices are an error afterwards") {
  CHECK(embed_layer_normalization.intent.values.find("back") != std::string_view::npos);
}

namespace {

const std::string tables =
    "w = f32[9,4] random; p = f32[6,4] random; t = f32[2,4] random; g = f32[4] random; b = f32[4] random; ";
const std::string ids = "ids: i64[B,S]; types: i64[B,S]; ";
const std::string head = ids + tables;
/// The first S of 0, 1 ... 5.
const std::string counted =
    "n = Unsqueeze(Gather(Shape(ids), i64[] 1), i64[1] 0); c = Slice(i64[1,6] {0,1,2,3,4,5}, i64[1] 0, n, i64[1] 1); ";
const std::string gathered = "e = Gather(w, ids); q = Gather(p, c); s = Gather(t, types); ";
const std::string casts = "i = Cast(ids) {to=6}; k = Cast(types) {to=6}; ";

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(embed_layer_normalization).refuses(reason);
}

}  // namespace

TEST_CASE("embed_layer_normalization of three summands in any order, positions counted") {
  for (const std::string sum : {"Add(Add(e, s), q)", "Add(q, Add(s, e))", "Add(Add(q, e), s)"}) {
    INFO(sum);
    CHECK(given(head + counted + gathered + "y = LayerNormalization(" + sum + ", g, b) {epsilon=0.01}")
              .rule(embed_layer_normalization)
              .becomes(head + casts +
                       "y, m = com.microsoft::EmbedLayerNormalization(i, k, w, p, t, g, b) "
                       "{epsilon=0.01}; return y"));
  }
  CHECK(given(head + counted + gathered + "y = LayerNormalization(Add(Add(e, s), q), g, b)")
            .rule(embed_layer_normalization)
            .equivalent({.inputs = 4, .dims = {{"B", 3}, {"S", 5}}}));
}

TEST_CASE("embed_layer_normalization without segments or bias, and with the sum") {
  CHECK(given("ids: i32[B,S]; " + tables + counted +
              "h = Add(Gather(w, ids), Gather(p, c)); y = LayerNormalization(h, g) {epsilon=0.01}; return y, h")
            .rule(embed_layer_normalization)
            .becomes("ids: i32[B,S]; " + tables +
                     "z = f32[4] 0;"
                     "y, m, h = com.microsoft::EmbedLayerNormalization(ids, _, w, p, _, g, z) {epsilon=0.01};"
                     "return y, h"));
}

TEST_CASE("positions that count") {
  for (const std::string positions :
       {"c = Range(i64[] 0, Gather(Shape(ids), i64[] 1), i64[] 1); ",
        "c = Unsqueeze(Range(i64[] 0, Gather(Shape(ids), i64[] 1), i64[] 1), i64[1] 0); "}) {
    INFO(positions);
    CHECK(given(head + positions + gathered + "y = LayerNormalization(Add(Add(e, s), q), g, b)")
              .rule(embed_layer_normalization)
              .becomes(head + casts +
                       "y, m = com.microsoft::EmbedLayerNormalization(i, k, w, p, t, g, b) "
                       "{epsilon=0.00001}; return y"));
  }
  const std::string constant = "ids: i32[B,3]; " + tables;
  const std::string rows = "f32[1,3,4] {1,2,3,4,5,6,7,8,9,1,2,3}", matrix = "f32[3,4] {1,2,3,4,5,6,7,8,9,1,2,3}";
  CHECK(given(constant + "y = LayerNormalization(Add(Gather(w, ids), " + rows + "), g, b)")
            .rule(embed_layer_normalization)
            .becomes(constant + "y, m = com.microsoft::EmbedLayerNormalization(ids, _, w, " + matrix +
                     ", _, g, b) {epsilon=0.00001}; return y"));
}

TEST_CASE("positions that are given") {
  for (const std::string dims : {"[B,S]", "[1,S]"}) {
    const std::string given_positions = "c: i32" + dims + "; ids: i32[B,S]; types: i32[B,S]; " + tables;
    CHECK(given(given_positions + gathered + "y = LayerNormalization(Add(Add(e, s), q), g, b)")
              .rule(embed_layer_normalization)
              .becomes(given_positions +
                       "y, m = com.microsoft::EmbedLayerNormalization(ids, types, w, p, t, g, b, _, c)"
                       " {epsilon=0.00001}; return y"));
  }
  // Not 0, 1, 2 ...
  const std::string others =
      "n = Unsqueeze(Gather(Shape(ids), i64[] 1), i64[1] 0);"
      "c = Slice(i64[1,6] {2,3,4,5,1,0}, i64[1] 0, n, i64[1] 1); ";
  CHECK(refuses(head + others + gathered + "y = LayerNormalization(Add(Add(e, s), q), g, b)", "one batch"));
  CHECK(given("ids: i64[2,3]; types: i64[2,3]; " + tables + "c = i64[1,3] {2,0,1}; " + gathered +
              "y = LayerNormalization(Add(Add(e, s), q), g, b)")
            .rule(embed_layer_normalization)
            .equivalent({.inputs = 4}));
}

TEST_CASE("exports of a BERT, where segments are expanded") {
  const std::string expanded = "ids: i64[B,S]; " + tables + counted +
                               "z = Slice(i64[1,6] 0, i64[1] 0, n, i64[1] 1);"
                               "types = Expand(z, Shape(ids)); " +
                               gathered + "y = LayerNormalization(Add(Add(e, s), q), g, b)";
  CHECK(given(expanded).rule(embed_layer_normalization).equivalent({.inputs = 4, .dims = {{"B", 3}, {"S", 5}}}));
  CHECK(given(expanded).rule(embed_layer_normalization).equivalent({.inputs = 4, .dims = {{"B", 1}, {"S", 1}}}));
}

TEST_CASE("what follows has the extents of the ids") {
  Model model = graph(head + counted + gathered +
                      "h = LayerNormalization(Add(Add(e, s), q), g, b); v = Relu(h); r = Reshape(v, i64[3] {0,-1,4});"
                      "y = LayerNormalization(Add(r, h), g, b)");
  infer_shapes(model.graph());  // leaves open how many positions there are
  fuse_embed_layer_normalizations(fused_operators::ort_cpu).run(model);
  fuse_skip_layer_normalizations(fused_operators::ort_cpu).run(model);
  CHECK(model.graph().find("y")->producer()->is("com.microsoft::SkipLayerNormalization"));
  CHECK(to_string(model.graph().find("y")->shape()) == "[B,S,4]");
}

TEST_CASE("embed_layer_normalization through all variants") {
  CHECK(variants(embed_layer_normalization,
                 "ids: i32[2,3]; types: i32[2,3]; c: i32[2,3]; " + tables + gathered +
                     "a = Add(e, s); h = Add(a, q); y = LayerNormalization(h, g, b)",
                 {.atol = 1e-4, .rtol = 1e-4}));
}

TEST_CASE("embed_layer_normalization refuses") {
  const std::string after = "y = LayerNormalization(Add(Add(e, s), q), g, b)";
  CHECK(refuses("ids: i64[B,S]; types: i64[A,S]; " + tables + counted + gathered + after, "one batch"));
  CHECK(refuses("ids: i64[B,S]; types: i64[B,S]; c: i64[1,T]; " + tables + gathered + after, "one batch"));
  CHECK(refuses(head + counted + gathered + "y = LayerNormalization(Add(Add(Add(e, s), q), e), g, b)", "not a Gather"));
  CHECK(refuses(head + counted + gathered + "y = LayerNormalization(Add(Add(e, s), Add(q, e)), g, b)", "three"));
  CHECK(refuses("w: f32[9,4]; " + ids +
                    "p = f32[6,4] 1; y = LayerNormalization(Add(Gather(w, ids), Gather(p, types)),"
                    "f32[4] 1)",
                "constant table"));
  CHECK(refuses("ids: i64[B,S]; x: f32[B,S,4]; " + tables + "y = LayerNormalization(Add(Gather(w, ids), x), g, b)",
                "constant table"));
  // One row alone would broadcast to any S.
  const std::string one = "c = Slice(i64[1,1] 0, i64[1] 0, n, i64[1] 1); ";
  CHECK(refuses(head + "n = Unsqueeze(Gather(Shape(ids), i64[] 1), i64[1] 0); " + one + gathered + after, "one batch"));
}
