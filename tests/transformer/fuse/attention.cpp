#include <graft/transformer/fuse/attention.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr FusedOperator multi_head_operators[]{{"com.microsoft::MultiHeadAttention"}};
constexpr FusedOperators multi_head{"multi-head", multi_head_operators};

/// Projections of x, [B,S,6], to 2 heads of 3 each.
constexpr std::string_view projections =
    "x: f32[B,S,6]; mask: f32[B,1,S,S]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,6] random; "
    "bq = f32[6] random; bk = f32[6] random; bv = f32[6] random; "
    "q = Add(MatMul(x, wq), bq); k = Add(MatMul(x, wk), bk); v = Add(MatMul(x, wv), bv); ";
constexpr std::string_view heads =
    "split = i64[4] {0, 0, 2, 3}; qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, "
    "split)) {perm=[0,2,3,1]}; "
    "vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; ";
constexpr std::string_view scores = "s = Add(Mul(MatMul(qh, kt), f32[] 0.5773503), mask); ";
constexpr std::string_view result =
    "h = MatMul(Softmax(s) {axis=-1}, vh); y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})";

std::string text(std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
  return std::string(a) + std::string(b) + std::string(c) + std::string(d);
}
const std::string whole = text(projections, heads, scores, result);

Trial fused(std::string_view graph, const FusedOperators& runtime = multi_head) {
  return given(graph).pass(fuse_attention(runtime));
}

/// The graph becomes this one, and computes the same.
void check(const std::string& graph, const std::string& expected, const FusedOperators& runtime = multi_head) {
  INFO(graph);
  CHECK(fused(graph, runtime).becomes(expected));
  CHECK(fused(graph, runtime).equivalent());
}

std::string operators(const Run& run) {
  std::string all;
  for (const Node& node : run.model.graph().nodes())
    if (node.domain() == "com.microsoft" || node.is("Attention")) all += node.op_type();
  return all;
}

const std::string multi_head_result =
    std::string(projections) + "y = com.microsoft::MultiHeadAttention(q, k, v, _, _, mask) {num_heads=2}";

std::string with(std::string_view statements, std::string_view attention) {
  return std::string(statements) + "y = com.microsoft::MultiHeadAttention" + std::string(attention);
}

}  // namespace

TEST_CASE("attention of every spelling of scale and transposes becomes MultiHeadAttention") {
  struct Spelling {
    std::string_view heads, scores;
  };
  constexpr std::string_view two_transposes =
      "split = i64[4] {0, 0, 2, 3}; qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; "
      "kt = Transpose(Transpose(Reshape(k, split)) {perm=[0,2,1,3]}) {perm=[0,1,3,2]}; "
      "vh = Transpose(Reshape(v, i64[4] {0, -1, 2, 3})) {perm=[0,2,1,3]}; ";
  const Spelling spellings[] = {
      {heads, scores},
      {two_transposes, scores},
      {heads, "s = Add(mask, Div(MatMul(qh, kt), f32[] 1.7320508)); "},
      {heads, "s = Add(mask, Mul(f32[1] 0.5773503, MatMul(qh, kt))); "},
      {heads, "s = Add(MatMul(Mul(qh, f32[] 0.5773503), kt), mask); "},
      {heads, "s = Add(MatMul(Div(qh, f32[1] 1.7320508), kt), mask); "},
      {heads, "s = Add(MatMul(qh, Div(kt, f32[] 1.7320508)), mask); "},
      {heads, "s = Add(MatMul(Mul(qh, f32[] 0.7598357), Mul(f32[] 0.7598357, kt)), mask); "},
      {two_transposes, "s = Add(Div(MatMul(Mul(qh, f32[] 2), kt), f32[] 3.4641016), mask); "},
      {"split = i64[4] {0, 0, 2, 3}; qh = Transpose(Reshape(Mul(q, f32[] 0.5773503), split)) {perm=[0,2,1,3]}; "
       "kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; ",
       "s = Add(MatMul(qh, kt), mask); "},
  };
  for (const Spelling& one : spellings) check(text(projections, one.heads, one.scores, result), multi_head_result);
  check(text(projections, heads, "s = Add(MatMul(qh, kt), mask); ", result),
        with(projections, "(q, k, v, _, _, mask) {num_heads=2, scale=1.0}"));
  check(text(projections, heads, "s = Mul(MatMul(qh, kt), f32[] 0.25); ", result),
        with(projections, "(q, k, v) {num_heads=2, scale=0.25}"));
}

TEST_CASE("attention through all variants") {
  const Equivalence how{.inputs = 8, .atol = 1e-5, .dims = {{"B", 2}, {"S", 3}}};
  for (const FusedOperators& runtime : {multi_head, fused_operators::ort_cpu}) {
    const VariantReport report = variants(fuse_attention(runtime), whole, how);
    CHECK(report);
    CHECK(report.find("another consumer of %s")->outcome == Variant::Outcome::refused);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  }
}

TEST_CASE("projections of one input by constants are merged into Attention") {
  const std::string head =
      "x: f32[B,S,6]; mask: f32[B,1,S,S]; w = f32[6,18] _; b = f32[18] _; "
      "y = com.microsoft::Attention(x, w, b, _, _, mask) {num_heads=2}";
  CHECK(fused(whole, fused_operators::ort_cpu).becomes(head));
  CHECK(fused(whole, fused_operators::ort_cpu).equivalent());
  const std::string without_biases =
      "x: f32[B,S,6]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,4] random; split = i64[4] {0, 0, 2, 3}; "
      "q = MatMul(x, wq); k = MatMul(x, wk); v = MatMul(x, wv); "
      "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; "
      "vh = Transpose(Reshape(v, i64[4] {0, 0, 2, 2})) {perm=[0,2,1,3]}; s = Mul(MatMul(qh, kt), f32[] 0.25); "
      "y = Reshape(Transpose(MatMul(Softmax(s) {axis=-1}, vh)) {perm=[0,2,1,3]}, i64[3] {0, 0, 4})";
  check(without_biases,
        "x: f32[B,S,6]; w = f32[6,16] _; b = f32[16] 0; "
        "y = com.microsoft::Attention(x, w, b) {num_heads=2, scale=0.25, qkv_hidden_sizes=[6,6,4]}",
        fused_operators::ort_cpu);
}

TEST_CASE("a mask that is expanded for Attention keeps no projection") {
  std::string graph = whole;
  graph.replace(graph.find("f32[B,1,S,S]"), 12, "f32[B,1,1,S]");
  check(graph,
        "x: f32[B,S,6]; mask: f32[B,1,1,S]; w = f32[6,18] _; b = f32[18] _; u = i64[1] 1; "
        "m = Expand(mask, Concat(i64[2] 1, Gather(Shape(x), u), Gather(Shape(x), u)) {axis=0}); "
        "y = com.microsoft::Attention(x, w, b, _, _, m) {num_heads=2}",
        fused_operators::ort_cpu);
}

TEST_CASE("attention rules by themselves fuse for ONNX Runtime's CPU kernels") {
  CHECK(operators(given(whole).rule(attention).run()) == "Attention");
  const std::string standard = "opset 23; q: f32[B,2,S,4]; y = Attention(q, q, q)";
  CHECK(operators(given(standard).rule(standard_attention).run()) == "MultiHeadAttention");
}

TEST_CASE("no projection is kept for the extents of a mask") {
  std::string graph = whole;
  graph.replace(graph.find("f32[B,1,S,S]"), 12, "f32[B,1,1,S]");
  const Run run = fused(graph, fused_operators::ort_cpu).run();
  CHECK(operators(run) == "Attention");
  for (const Node& node : run.model.graph().nodes()) CHECK_FALSE(node.is("MatMul"));
  CHECK(fused(graph, fused_operators::ort_cpu).equivalent());
}

TEST_CASE("projections that are merged already stay so") {
  const std::string head = "x: f32[B,S,6]; w = f32[6,16] random; b = f32[16] random; ";
  const std::string split =
      head +
      "q, k, v = Split(Add(MatMul(x, w), b), i64[3] {6, 6, 4}) {axis=-1}; split = i64[4] {0, 0, 2, 3}; "
      "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; "
      "vh = Transpose(Reshape(v, i64[4] {0, 0, 2, 2})) {perm=[0,2,1,3]}; s = Mul(MatMul(qh, kt), f32[] 0.25); "
      "y = Reshape(Transpose(MatMul(Softmax(s) {axis=-1}, vh)) {perm=[0,2,1,3]}, i64[3] {0, 0, 4})";
  check(split, head + "y = com.microsoft::Attention(x, w, b) {num_heads=2, scale=0.25, qkv_hidden_sizes=[6,6,4]}",
        fused_operators::ort_cpu);
  std::string exchanged = split;
  exchanged.replace(exchanged.find("q, k, v ="), 9, "k, q, v =");
  CHECK(operators(fused(exchanged, fused_operators::ort_cpu).run()) == "MultiHeadAttention");
}

TEST_CASE("what is not projected of one input by constants of its own stays apart") {
  const auto replaced = [](std::string_view from, std::string_view to) {
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& graph :
       {replaced("bk = f32[6] random", "bk: f32[6]"), replaced("MatMul(x, wk)", "MatMul(x, wq)"),
        replaced("MatMul(x, wv)", "MatMul(mask_like, wv)").insert(0, "mask_like: f32[B,S,6]; ")}) {
    INFO(graph);
    const Run run = fused(graph, fused_operators::ort_cpu).run();
    CHECK(run.changed);
    std::size_t found = 0;
    for (const Node& node : run.model.graph().nodes()) found += node.is("MultiHeadAttention", "com.microsoft");
    CHECK(found == 1);
    CHECK(fused(graph, fused_operators::ort_cpu).equivalent());
  }
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

TEST_CASE("Reshapes that take other batches together stay in front and behind") {
  const std::string graph =
      "q: f32[4,3,6]; k: f32[4,3,6]; v: f32[4,3,6]; split = i64[4] {6, 2, 2, 3}; "
      "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; "
      "vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; h = MatMul(Softmax(MatMul(qh, kt)) {axis=-1}, vh); "
      "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {4, 3, 6})";
  CHECK(operators(fused(graph).run()) == "MultiHeadAttention");
  CHECK(fused(graph).equivalent());
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

TEST_CASE("what the operators make is declared") {
  const auto declares = [](const std::string& graph) {
    Run run = fused(graph).run();
    run.model.commit();
    for (const onnx::ValueInfoProto& info : run.model.proto().graph().value_info())
      if (run.model.graph().find(info.name())->producer()->is("MultiHeadAttention", "com.microsoft")) return true;
    return false;
  };
  CHECK(declares("q: f32[B,2,S,4]; y = MatMul(Softmax(MatMul(q, Transpose(q) {perm=[0,1,3,2]})) {axis=-1}, q)"));
  CHECK(declares(whole + "; z = Relu(y)"));
}

TEST_CASE("a cache goes into MultiHeadAttention") {
  constexpr std::string_view cache =
      "x: f32[B,S,6]; pk: f32[B,2,P,3]; pv: f32[B,2,P,3]; mask: f32[B,1,S,T]; split = i64[4] {0, 0, 2, 3}; "
      "q = Identity(x); k = Relu(x); v = Abs(x); ";
  const std::string graph = std::string(cache) +
                            "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; "
                            "nk = Concat(pk, Transpose(Reshape(k, split)) {perm=[0,2,1,3]}) {axis=2}; "
                            "nv = Concat(pv, Transpose(Reshape(v, split)) {perm=[0,2,1,3]}) {axis=-2}; "
                            "s = Add(Div(MatMul(qh, Transpose(nk) {perm=[0,1,3,2]}), f32[] 2), mask); "
                            "h = MatMul(Softmax(s) {axis=-1}, nv); "
                            "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6}); return y, nk, nv";
  const Equivalence how{.atol = 1e-5, .dims = {{"B", 2}, {"S", 3}, {"P", 4}, {"T", 7}}};
  CHECK(fused(graph).equivalent(how));
  const Run run = fused(graph).run();
  const Node* const cached = run.model.graph().output(1)->producer();
  REQUIRE(cached->is("MultiHeadAttention", "com.microsoft"));
  CHECK(cached->input(6)->name() == "pk");
  CHECK(cached->input(7)->name() == "pv");
  CHECK(run.model.graph().output(1)->name() == "nk");
  CHECK(cached->output(2) == run.model.graph().output(2));
}

TEST_CASE("a cache that is no part of the operator stays in front of it") {
  const auto cached = [](std::string_view value_past, std::string_view mask) {
    return "q: f32[B,2,S,4]; k: f32[B,2,S,4]; v: f32[B,2,S,4]; pk: f32[B,2,P,4]; pv: f32[B,2," +
           std::string(value_past) + ",4]; nk = Concat(pk, k) {axis=2}; nv = Concat(pv, v) {axis=2}; " +
           std::string(mask) + "y = MatMul(Softmax(Add(MatMul(q, Transpose(nk) {perm=[0,1,3,2]}), m)) {axis=-1}, nv); "
                               "return y, nk, nv";
  };
  const auto holds_cache = [](const std::string& graph) {
    INFO(graph);
    CHECK(fused(graph).equivalent({.atol = 1e-5, .dims = {{"B", 2}, {"S", 3}, {"P", 2}, {"Q", 2}, {"T", 5}}}));
    const Run run = fused(graph).run();
    CHECK(operators(run) == "MultiHeadAttention");
    return !run.model.graph().output(1)->producer()->is("Concat");
  };
  CHECK(holds_cache(cached("P", "m: f32[B,1,S,T]; ")));
  CHECK_FALSE(holds_cache(cached("Q", "m: f32[B,1,S,T]; ")));
  // The mask counts the keys that are put out.
  constexpr std::string_view counted =
      "n = Gather(Shape(nk), i64[] 2); m = Cast(Range(i64[] 0, n, i64[] 1)) {to=f32}; ";
  CHECK_FALSE(holds_cache(cached("P", counted)));
}

TEST_CASE("a cache of an outer scope stays there") {
  Model model = graph(
      "c: bool[]; q: f32[B,2,S,4]; k: f32[B,2,S,4]; pk: f32[B,2,P,4]; nk = Concat(pk, k) {axis=2}; "
      "y = If(c) {then_branch={t = Transpose(nk) {perm=[0,1,3,2]}; h = MatMul(Softmax(MatMul(q, t)) {axis=-1}, nk); "
      "return h}, "
      "else_branch={e = Identity(q); return e}}; return y, nk");
  CHECK(fuse_attention(multi_head).run(model).changes > 0);
  CHECK(model.graph().find("nk")->producer()->is("Concat"));
}

namespace {

/// 4 heads over 2 of a cache; `mask` is a statement, `masked` makes scores of s.
std::string shared(std::string_view batch, std::string_view steps, std::string_view past, std::string_view mask,
                   std::string_view masked,
                   std::string_view repeat = "Reshape(Expand(Unsqueeze(@, i64[1] 2), g), h)", int size = 8) {
  const std::string one = std::to_string(size), two = std::to_string(2 * size), four = std::to_string(4 * size);
  const auto typed = [&](std::string_view name, std::string_view extent, std::string_view rest) {
    return std::string(name) + ": f32[" + std::string(batch) + "," + std::string(extent) + "," + std::string(rest) +
           "]; ";
  };
  const auto repeated = [&](std::string_view name) {
    std::string text(repeat);
    return text.replace(text.find('@'), 1, name);
  };
  return typed("q", steps, four) + typed("k", steps, two) + typed("v", steps, two) +
         typed("pk", "2", std::string(past) + "," + one) + typed("pv", "2", std::string(past) + "," + one) +
         "split = i64[4] {0, 0, 2, " + one + "}; g = i64[5] {1, 1, 2, 1, 1}; h = i64[4] {0, 4, -1, " + one +
         "}; "
         "nk = Concat(pk, Transpose(Reshape(k, split)) {perm=[0,2,1,3]}) {axis=2}; "
         "nv = Concat(pv, Transpose(Reshape(v, split)) {perm=[0,2,1,3]}) {axis=2}; "
         "qh = Transpose(Reshape(q, i64[4] {0, 0, 4, " + one + "})) {perm=[0,2,1,3]}; rk = " +
         repeated("nk") + "; rv = " + repeated("nv") + "; " + std::string(mask) +
         "s = Mul(MatMul(qh, Transpose(rk) {perm=[0,1,3,2]}), f32[] 0.3535534); a = MatMul(Softmax(" +
         std::string(masked) +
         ") {axis=-1}, rv); y = Reshape(Transpose(a) {perm=[0,2,1,3]}, i64[3] {0, 0, " + four +
         "}); return y, nk, nv";
}

constexpr std::string_view causal_constant = "m = f32[1,1,2,5] {0, 0, 0, 0, -3.4e38, 0, 0, 0, 0, 0}; ";
constexpr std::string_view ranges =
    "n = Shape(nk) {start=2, end=3}; t = Squeeze(n); o = Squeeze(Shape(pk) {start=2, end=3}); c = Range(i64[] 0, t, "
    "i64[] 1); "
    "r = Unsqueeze(Add(Range(i64[] 0, i64[] 2, i64[] 1), o), i64[1] 1); ";

}  // namespace

TEST_CASE("shared heads behind a cache become GroupQueryAttention where the mask is causal") {
  const auto becomes = [](const std::string& graph, std::string_view wanted) {
    INFO(graph);
    CHECK(operators(fused(graph, fused_operators::ort_cpu).run()) == wanted);
    CHECK(fused(graph, fused_operators::ort_cpu).equivalent({.inputs = 6, .atol = 1e-5, .dims = {{"B", 2}, {"P", 3}}}));
  };
  constexpr std::string_view group = "GroupQueryAttention", multi = "MultiHeadAttention";
  becomes(shared("B", "1", "P", "", "s"), group);
  becomes(shared("B", "1", "P", "", "s", "Reshape(Tile(Unsqueeze(@, i64[1] 2), g), h)"), group);
  becomes(shared("B", "1", "P", "", "s", "Gather(@, i64[4] {0, 0, 1, 1}) {axis=1}"), group);
  becomes(shared("B", "1", "P", "", "s", "Gather(@, i64[4] {0, 1, 0, 1}) {axis=1}"), multi);
  constexpr std::string_view expanded = "Reshape(Expand(Unsqueeze(@, i64[1] 2), g), h)";
  // The kernel wants a multiple of 8.
  becomes(shared("B", "1", "P", "", "s", expanded, 4), multi);
  becomes(shared("B", "1", "P", "", "s", expanded, 12), multi);
  becomes(shared("B", "1", "P", "", "s", expanded, 16), group);
  becomes(shared("1", "2", "3", "", "s"), multi);
  becomes(shared("1", "2", "3", causal_constant, "Add(s, m)"), group);
  becomes(shared("3", "2", "3", causal_constant, "Add(s, m)"), multi);
  std::string other(causal_constant);
  becomes(shared("1", "2", "3", other.replace(other.find("-3.4e38, 0"), 10, "-3.4e38, -3.4e38"), "Add(s, m)"), multi);
  becomes(shared("B", "1", "P", "m: f32[B,1,1,1]; ", "Add(s, m)"), multi);
  const std::string opset = "opset 17; ";
  const auto compared = [&](std::string_view mask) {
    return opset + shared("1", "2", "P", std::string(ranges) + std::string(mask), "Add(s, m)");
  };
  becomes(compared("m = Where(LessOrEqual(c, r), f32[] 0, f32[] -3e38); "), group);
  becomes(compared("m = Where(Less(r, c), f32[] -3e38, f32[] 0); "), group);
  becomes(compared("m = Where(Not(GreaterOrEqual(r, c)), f32[] -3e38, f32[] 0); "), group);
  becomes(
      compared("e = Unsqueeze(Add(o, i64[2] {0, 1}), i64[1] 1); m = Where(LessOrEqual(c, e), f32[] 0, f32[] -3e38); "),
      group);
  becomes(
      compared("e = Unsqueeze(Add(o, i64[2] {0, 2}), i64[1] 1); m = Where(LessOrEqual(c, e), f32[] 0, f32[] -3e38); "),
      multi);
  becomes(compared("m = Where(Less(c, r), f32[] 0, f32[] -3e38); "), multi);
  becomes(compared("m = Where(LessOrEqual(c, r), f32[] 0, f32[] -100); "), multi);
  becomes(compared("m = Where(GreaterOrEqual(c, r), f32[] 0, f32[] -3e38); "), multi);
}

TEST_CASE("heads that are repeated go into main-domain Attention once") {
  const std::string graph = "opset 23; " + shared("B", "S", "P", "", "s");
  const Run run = fused(graph, fused_operators::onnx).run();
  CHECK(operators(run) == "Attention");
  for (const Node& node : run.model.graph().nodes()) CHECK_FALSE(node.is("Expand"));
  CHECK(fused(graph, fused_operators::onnx).equivalent({.inputs = 6, .atol = 1e-5}));
}

TEST_CASE("main-domain Attention is taken to the runtime's operator, and primitives to it") {
  const std::string head = "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; mask: f32[B,1,S,T]; ";
  const std::string primitives =
      head + "y = MatMul(Softmax(Add(MatMul(Mul(q, f32[] 0.25), Transpose(k) {perm=[0,1,3,2]}), mask)) {axis=3}, v)";
  const std::string standard = head + "y = Attention(q, k, v, mask) {scale=0.25}";
  check(primitives, standard, fused_operators::onnx);
  check(standard, head +
                      "f = Reshape(Transpose(q) {perm=[0,2,1,3]}, i64[3] {0, 0, 8}); "
                      "a = com.microsoft::MultiHeadAttention(f, k, v, _, _, mask) {num_heads=2, scale=0.25}; "
                      "y = Transpose(Reshape(a, i64[4] {0, 0, 2, 4})) {perm=[0,2,1,3]}");
  const auto with_opset_22 = [&] {
    std::string older = primitives;
    return older.replace(older.find("23"), 2, "22");
  };
  CHECK(fused(with_opset_22(), fused_operators::onnx).refuses("opset"));
  CHECK(fused(standard, fused_operators::onnx).refuses("no other operator"));
  const auto refuses = [&](std::string_view node, std::string_view reason) {
    return fused(head + std::string(node)).refuses(reason);
  };
  CHECK(refuses("y = Attention(q, k, v, mask) {softcap=2.0}", "capped"));
  CHECK(refuses("y = Attention(q, k, v, mask) {is_causal=1}", "causal"));
  CHECK(refuses("y, _, _, s = Attention(q, k, v, mask); return y, s", "scores"));
  CHECK(refuses("y, p = Attention(q, k, v, mask); return y, p", "put out"));
  CHECK(refuses("y = Attention(q, k, v, _, k, v)", "no present"));
  for (const std::string_view operands : {"q, Mul(k, f32[] 2), v", "q, k, Mul(v, f32[] 2)"}) {
    const std::string node = "y, a, b = Attention(" + std::string(operands) + ", _, k, v); return y, a, b";
    CHECK(refuses(node, "multiplied"));
  }
  const std::string uneven =
      "pk: f32[B,2,P,4]; pv: f32[B,2,Q,4]; y, a, b = Attention(q, k, v, _, pk, pv); return y, a, b";
  CHECK(refuses(uneven, "different lengths"));
  const std::string later = "opset 24" + head.substr(8);
  CHECK(fused(later + "y = Attention(q, k, v, mask)").run().changed);
  CHECK(fused(later + "w: f32[B,1,S,W]; y = Attention(q, k, v, w)").refuses("fewer keys"));
  const std::string causal = "opset 23; q: f32[B,2,S,4]; y = Attention(q, q, q) {is_causal=1}";
  CHECK(fused(causal).equivalent());
  CHECK(operators(fused(causal).run()) == "MultiHeadAttention");
  for (const std::string_view node : {"Attention(q, k, v, _, pk, pv) {is_causal=1}", "Attention(q, k, v, m, pk, pv)"}) {
    const std::string cached =
        "opset 23; q: f32[B,2,S,4]; k: f32[B,2,S,4]; v: f32[B,2,S,4]; pk: f32[B,2,P,4]; pv: f32[B,2,P,4]; "
        "m: f32[B,1,1,T]; y, a, b = " +
        std::string(node) + "; return y, a, b";
    INFO(cached);
    CHECK(fused(cached).equivalent({.atol = 1e-5, .dims = {{"S", 3}, {"P", 2}, {"T", 5}, {"B", 2}}}));
    CHECK(operators(fused(cached).run()) == "MultiHeadAttention");
  }
}

TEST_CASE("attention refuses") {
  const auto replaced = [](std::string_view from, std::string_view to) {
    std::string changed = whole;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK(fused(replaced("{axis=-1}", "{axis=2}")).refuses("over keys"));
  CHECK(fused(replaced("f32[] 0.5773503", "f32[2,1,1] 0.5")).refuses("MatMul 'h'"));
  CHECK(fused(replaced("f32[] 0.5773503", "f32[] 0")).refuses("scale"));
  CHECK(fused(whole, FusedOperators{"nothing", {}}).refuses("no operator"));
  const std::string groups =
      "q: f32[B,4,S,4]; k: f32[B,1,T,4]; v: f32[B,1,T,4]; y = MatMul(Softmax(MatMul(q, Transpose(k) {perm=[0,1,3,2]})) "
      "{axis=-1}, v)";
  CHECK(fused(groups).refuses("other heads"));
}

namespace {

/// Heads of x, [S,B,6], as torch.nn.MultiheadAttention makes them: [B * 2, S, 3].
std::string merged_heads(std::string_view name, std::string_view x) {
  return std::string(name) + " = Transpose(Reshape(" + std::string(x) + ", i64[3] {0, -1, 3})) {perm=[1,0,2]}; ";
}
/// The same of x, [B,S,6].
std::string merged_batches(std::string_view name, std::string_view x) {
  return std::string(name) + " = Reshape(Transpose(Reshape(" + std::string(x) +
         ", i64[4] {0, 0, 2, 3})) {perm=[0,2,1,3]}, Concat(i64[1] -1, n, i64[1] 3) {axis=0}); ";
}
constexpr std::string_view steps_first_inputs = "q: f32[S,B,6]; k: f32[T,B,6]; v: f32[T,B,6]; ";
constexpr std::string_view merged_scores = "s = MatMul(Mul(qh, f32[] 0.5773503), Transpose(kh) {perm=[0,2,1]}); ";
const std::string steps_first =
    std::string(steps_first_inputs) + merged_heads("qh", "q") + merged_heads("kh", "k") + merged_heads("vh", "v");
constexpr std::string_view steps_first_attention =
    "a = Transpose(q) {perm=[1,0,2]}; b = Transpose(k) {perm=[1,0,2]}; c = Transpose(v) {perm=[1,0,2]}; "
    "o = com.microsoft::MultiHeadAttention(a, b, c) {num_heads=2}; ";

}  // namespace

TEST_CASE("heads that are merged with the batch behind the steps are taken apart") {
  const std::string weighted = steps_first + std::string(merged_scores) + "h = MatMul(Softmax(s) {axis=-1}, vh); ";
  check(weighted + "y = Reshape(Transpose(h) {perm=[1,0,2]}, i64[2] {-1, 6})",
        std::string(steps_first_inputs) + std::string(steps_first_attention) +
            "y = Reshape(Transpose(o) {perm=[1,0,2]}, i64[2] {-1, 6})");
  const std::string to_three = std::string(steps_first_inputs) + merged_heads("qh", "q") + merged_heads("kh", "k") +
                               merged_heads("vh", "v") + std::string(merged_scores) +
                               "h = MatMul(Softmax(s) {axis=-1}, vh); d = Shape(q); "
                               "y = Reshape(Transpose(h) {perm=[1,0,2]}, d)";
  check(to_three,
        std::string(steps_first_inputs) + std::string(steps_first_attention) + "y = Transpose(o) {perm=[1,0,2]}");
  // Something else reads the heads as they are.
  const std::string other = weighted + "y = Relu(h)";
  CHECK(operators(fused(other).run()) == "MultiHeadAttention");
  CHECK(fused(other).equivalent());
}

TEST_CASE("projections of steps in front of batches are merged into Attention") {
  const std::string graph =
      "x: f32[B,S,6]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,6] random; bk = f32[6] random; "
      "t = Transpose(x) {perm=[1,0,2]}; q = MatMul(t, wq); k = Add(MatMul(t, wk), bk); v = MatMul(t, wv); " +
      merged_heads("qh", "q") + merged_heads("kh", "k") + merged_heads("vh", "v") + std::string(merged_scores) +
      "y = Reshape(Transpose(MatMul(Softmax(s) {axis=-1}, vh)) {perm=[1,0,2]}, i64[2] {-1, 6})";
  check(graph,
        "x: f32[B,S,6]; w = f32[6,18] _; b = f32[18] _; o = com.microsoft::Attention(x, w, b) {num_heads=2}; "
        "y = Reshape(Transpose(o) {perm=[1,0,2]}, i64[2] {-1, 6})",
        fused_operators::ort_cpu);
}

TEST_CASE("heads that are merged and split again are seen through") {
  const std::string split = "i64[4] {-1, 2, 5, 3}";
  const auto apart = [&](std::string_view name) { return "Reshape(" + std::string(name) + "h, " + split + ")"; };
  const std::string inputs = "q: f32[5,B,6]; k: f32[5,B,6]; v: f32[5,B,6]; ";
  const std::string graph = inputs + merged_heads("qh", "q") + merged_heads("kh", "k") + merged_heads("vh", "v") +
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

TEST_CASE("masks of merged heads are taken apart") {
  const auto masked = [](std::string_view type, std::string_view mask) {
    return "m: " + std::string(type) + "; q: f32[S,2,6]; k: f32[T,2,6]; v: f32[T,2,6]; " + merged_heads("qh", "q") +
           merged_heads("kh", "k") + merged_heads("vh", "v") + std::string(merged_scores) + "w = " + std::string(mask) +
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

TEST_CASE("merged heads that are not known apart are refused") {
  CHECK(fused("q: f32[4,S,3]; y = MatMul(Softmax(MatMul(q, Transpose(q) {perm=[0,2,1]})) {axis=-1}, q)")
            .refuses("not known apart"));
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
  CHECK(fused(guarded("w = Where(IsNaN(p), f32[] 1, p); ")).refuses("another way"));
  CHECK(fused(guarded("w = Where(IsNaN(s), f32[] 0, p); ")).refuses("also used"));
}

TEST_CASE("a softmax of short floats may run in f32") {
  const auto cast = [](std::string_view type, std::string_view of_scores, std::string_view weights) {
    const std::string of(type);
    return "opset 23; q: " + of + "[B,2,S,4]; k: " + of + "[B,2,T,4]; v: " + of + "[B,2,T,4]; m: " + of +
           "[B,1,S,T]; s = Add(Mul(MatMul(q, Transpose(k) {perm=[0,1,3,2]}), " + of + "[] 0.5), m); p = Softmax(" +
           std::string(of_scores) + ") {axis=-1}; y = MatMul(" + std::string(weights) + ", v)";
  };
  constexpr std::string_view widened = "Cast(s) {to=1}";
  const std::string half = cast("f16", widened, "Cast(p) {to=10}");
  CHECK(operators(fused(half).run()) == "MultiHeadAttention");
  CHECK(fused(half).equivalent({.atol = 4e-3}));
  CHECK(fused(half, fused_operators::onnx)
            .becomes("opset 23; q: f16[B,2,S,4]; k: f16[B,2,T,4]; v: f16[B,2,T,4]; m: f16[B,1,S,T]; "
                     "y = Attention(q, k, v, m) {softmax_precision=1}"));
  CHECK(operators(fused(cast("bf16", widened, "Cast(p) {to=16}"), fused_operators::onnx).run()) == "Attention");
  CHECK(operators(fused(cast("f16", "s", "p")).run()) == "MultiHeadAttention");
  CHECK(fused(cast("f32", "Cast(s) {to=11}", "Cast(p) {to=1}")).refuses("another type"));
}

TEST_CASE("a bias of scores and their mask are added first, once for all attentions") {
  const std::string biased = "p = f32[1,2,1,1] random; s = Add(Add(Mul(MatMul(qh, kt), f32[] 0.5773503), p), mask); ";
  const Run run = fused(text(projections, heads, biased, result)).run();
  CHECK(operators(run) == "MultiHeadAttention");
  CHECK(fused(text(projections, heads, biased, result)).equivalent());
  CHECK(fused(text(projections, heads,
                   "p = f32[1,2,1,1] random; kept: bool[B,1,S,S]; "
                   "s = Where(kept, Add(Mul(MatMul(qh, kt), f32[] 0.5773503), p), f32[] -3e38); ",
                   result))
            .equivalent());
}

TEST_CASE("a bias of merged heads is split as their scores are") {
  const std::string graph =
      "x: f32[B,S,4]; mask: f32[B,1,S,S]; t = i64[4] {0, 0, 2, 2}; "
      "qh = Transpose(Reshape(x, t)) {perm=[0,2,1,3]}; "
      "rows = Concat(i64[1] -1, Shape(x) {start=1, end=2}, i64[1] 2) {axis=0}; qm = Reshape(qh, rows); "
      "steps = Shape(x) {start=1, end=2}; p: f32[B,2,1,S]; "
      "merged = Reshape(p, Concat(i64[2] {-1, 1}, steps) {axis=0}); "
      "s = Add(Mul(MatMul(qm, Transpose(qm) {perm=[0,2,1]}), f32[] 0.7), merged); "
      "apart = Reshape(s, Concat(Shape(x) {end=1}, i64[1] 2, steps, steps) {axis=0}); "
      "y = Reshape(Transpose(MatMul(Softmax(Add(apart, mask)) {axis=-1}, qh)) {perm=[0,2,1,3]}, i64[3] {0, 0, 4})";
  CHECK(operators(fused("opset 17; " + graph).run()) == "MultiHeadAttention");
  CHECK(fused("opset 17; " + graph).equivalent());
}
