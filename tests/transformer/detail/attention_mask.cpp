#include <graft/transformer/detail/attention_mask.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

TEST_CASE("a mask that is expanded for Attention keeps no projection") {
  std::string graph = whole;
  graph.replace(graph.find("f32[B,1,S,S]"), 12, "f32[B,1,1,S]");
  check(graph,
        "x: f32[B,S,6]; mask: f32[B,1,1,S]; w = f32[6,18] _; b = f32[18] _; u = i64[1] 1; "
        "m = Expand(mask, Concat(i64[2] 1, Gather(Shape(x), u), Gather(Shape(x), u)) {axis=0}); "
        "y = com.microsoft::Attention(x, w, b, _, _, m) {num_heads=2}",
        fused_operators::ort_cpu);
}

TEST_CASE("no projection is kept for the extents of a mask") {
  std::string graph = whole;
  graph.replace(graph.find("f32[B,1,S,S]"), 12, "f32[B,1,1,S]");
  const Run run = fused(graph, fused_operators::ort_cpu).run();
  CHECK(operators(run) == "Attention");
  for (const Node& node : run.model.graph().nodes()) CHECK_FALSE(node.is("MatMul"));
  CHECK(fused(graph, fused_operators::ort_cpu).equivalent());
}

TEST_CASE("masks are handed over with a row for each query") {
  const auto masked = [](std::string_view type) {
    std::string graph = whole;
    return graph.replace(graph.find("f32[B,1,S,S]"), 12, type);
  };
  for (const std::string_view type : {"f32[1,1,S,S]", "f32[B,2,S,S]", "f32[1,2,S,S]"}) {
    std::string expected = multi_head_result;
    check(masked(type), expected.replace(expected.find("f32[B,1,S,S]"), 12, type));
  }
  for (const std::string_view type : {"f32[B,1,1,S]", "f32[1,1,1,1]", "f32[B,2,1,S]", "f32[S,S]", "f32[1,S]", "f32[S]",
                                      "f32[2,1,S]", "f32[]", "f32[B,1,1,T]"}) {
    INFO(type);
    const Run run = fused(masked(type)).run();
    REQUIRE(run.changed);
    std::size_t expanded = 0;
    for (const Node& node : run.model.graph().nodes()) expanded += node.is("Expand");
    CHECK(expanded == 1);
    CHECK(fused(masked(type)).equivalent({.atol = 1e-5, .dims = {{"T", 1}}}));
  }
  for (const std::string_view type : {"f32[B,1,T,S]", "f32[C,1,1,S]", "f32[B,H,1,S]"})
    CHECK(fused(masked(type)).refuses("the mask may have more elements"));
  CHECK(fused(masked("f32")).refuses("rank that is not known"));
  CHECK(fused(masked("f32[1,B,1,1,S]")).refuses("not over keys"));
}

TEST_CASE("rows of a table after a past are as many as the queries") {
  const auto sliced = [](std::string_view end) {
    return "opset 17; q: f32[B,2,S,4]; pk: f32[B,2,P,4]; nk = Concat(pk, q) {axis=2}; t = f32[1,1,9,9] random; "
           "o = Shape(pk) {start=2, end=3}; n = Shape(q) {start=2, end=3}; a = Add(o, n); "
           "m = Slice(Slice(t, o, " +
           std::string(end) +
           ", i64[1] 2), i64[1] 0, a, i64[1] 3); "
           "y = MatMul(Softmax(Add(MatMul(q, Transpose(nk) {perm=[0,1,3,2]}), m)) {axis=-1}, nk)";
  };
  CHECK(operators(fused(sliced("a")).run()) == "MultiHeadAttention");
  CHECK(fused(sliced("a")).equivalent({.atol = 1e-5, .dims = {{"B", 2}, {"S", 3}, {"P", 2}}}));
  CHECK(fused(sliced("Add(a, n)")).refuses("the mask may have more elements"));
}

TEST_CASE("Where that hides scores becomes a mask to be added") {
  const auto hides = [](std::string_view shape_of_scores) {
    std::string graph = text(projections, heads, shape_of_scores, result);
    return graph.replace(graph.find("f32[B,1,S,S]"), 12, "bool[B,1,1,S]");
  };
  for (const std::string_view shown : {"s = Where(mask, MatMul(qh, kt), f32[] -3.4028234663852886e+38); ",
                                       "s = Where(mask, f32[] -3e38, Div(MatMul(qh, kt), f32[] 2)); "}) {
    INFO(shown);
    CHECK(fused(hides(shown)).equivalent({.atol = 1e-5, .dims = {{"B", 2}, {"S", 4}}}));
  }
  CHECK(fused(hides("s = Where(mask, MatMul(qh, kt), f32[] -10000); ")).refuses("low enough"));
  const auto narrow = [](std::string_view fill) {
    return fused("q: f16[B,2,S,4]; m: bool[B,1,S,S]; s = Where(m, MatMul(q, Transpose(q) {perm=[0,1,3,2]}), f16[] " +
                 std::string(fill) + "); y = MatMul(Softmax(s) {axis=-1}, q)");
  };
  // Added, it leaves differences between scores where a row hides all keys.
  CHECK(narrow("-65504").refuses("low enough"));
  CHECK(operators(narrow("-inf").run()) == "MultiHeadAttention");
  CHECK(fused(hides("s = Where(mask, f32[] 0, MatMul(qh, kt)); ")).refuses("low enough"));
}

TEST_CASE("attentions share masks and what is expanded of them") {
  const std::string layer =
      "$s = Where(m, Mul(MatMul(@, Transpose(@) {perm=[0,1,3,2]}), f32[] 0.5), f32[] -3e38); "
      "$ = MatMul(Softmax($s) {axis=-1}, @); ";
  std::string graph = "x: f32[B,2,S,4]; m: bool[B,1,1,S]; ";
  for (const auto& [from, to] : {std::pair("x", "a"), std::pair("a", "b"), std::pair("b", "c")}) {
    for (const char letter : layer) graph += letter == '@' ? from : letter == '$' ? to : std::string(1, letter);
  }
  const Run run = fused(graph).run();
  std::size_t masks = 0, expanded = 0;
  for (const Node& node : run.model.graph().nodes()) {
    masks += node.is("Where");
    expanded += node.is("Expand");
  }
  CHECK(operators(run) == "MultiHeadAttentionMultiHeadAttentionMultiHeadAttention");
  CHECK(masks == 1);
  CHECK(expanded == 1);
  CHECK(fused(graph).equivalent());
}

TEST_CASE("masks of merged heads are taken apart") {
  const auto masked = [](std::string_view type, std::string_view mask) {
    return "m: " + std::string(type) + "; q: f32[S,2,6]; k: f32[T,2,6]; v: f32[T,2,6]; " + heads_in_batch("qh", "q") +
           heads_in_batch("kh", "k") + heads_in_batch("vh", "v") + std::string(merged_scores) +
           "w = " + std::string(mask) +
           "; y = Reshape(Transpose(MatMul(Softmax(w) {axis=-1}, vh)) {perm=[1,0,2]}, i64[2] {-1, 6})";
  };
  for (const auto& [type, mask] :
       {std::pair("f32[S,T]", "Add(s, m)"), std::pair("f32[1,S,T]", "Add(s, m)"), std::pair("f32[4,1,T]", "Add(s, m)"),
        std::pair("f32[4,S,T]", "Add(m, s)"), std::pair("bool[4,1,T]", "Where(m, f32[] -3e38, s)"),
        std::pair("f32[2,2,1,T]", "Add(s, Reshape(m, i64[3] {4, 1, -1}))")}) {
    INFO(type << ' ' << mask);
    CHECK(operators(fused(masked(type, mask)).run()) == "MultiHeadAttention");
    CHECK(fused(masked(type, mask)).equivalent());
  }
  CHECK(fused(masked("f32[H,1,T]", "Add(s, m)")).refuses("other batches and heads"));
}

TEST_CASE("rows that hide all keys stay 0 where they are") {
  const auto guarded = [](std::string_view weights, std::string_view mask = "mask") {
    return text(projections, heads, "s = Add(Mul(MatMul(qh, kt), f32[] 0.5773503), ",
                std::string(mask) + "); p = Softmax(s) {axis=-1}; " + std::string(weights) +
                    "h = MatMul(w, vh); y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})");
  };
  check(guarded("w = Where(IsNaN(p), f32[] 0, p); "),
        std::string(projections) +
            "a = com.microsoft::MultiHeadAttention(q, k, v, _, _, mask) {num_heads=2}; "
            "y = Where(IsNaN(a), f32[] 0, a)");
  // Log of a mask that is 0 hides all keys of all rows.
  const std::string hidden = guarded("w = Where(IsNaN(p), f32[] 0, p); ", "Log(Sub(mask, mask))");
  CHECK(operators(fused(hidden).run()) == "MultiHeadAttention");
  CHECK(fused(hidden).equivalent());
  CHECK(fused(guarded("w = Where(IsNaN(p), f32[] 1, p); ")).refuses("not set to 0"));
  CHECK(fused(guarded("w = Where(IsNaN(s), f32[] 0, p); ")).refuses("also used"));
}
