#include <graft/transformer/fuse/attention.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

namespace {

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

TEST_CASE("attention rules by themselves fuse for ONNX Runtime's CPU kernels") {
  CHECK(operators(given(whole).rule(attention).run()) == "Attention");
  const std::string standard = "opset 23; q: f32[B,2,S,4]; y = Attention(q, q, q)";
  CHECK(operators(given(standard).rule(standard_attention).run()) == "MultiHeadAttention");
}

TEST_CASE("main-domain Attention is taken to the runtime's operator, and primitives to it") {
  const std::string head = "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; mask: f32[B,1,S,T]; ";
  const std::string primitives =
      head + "y = MatMul(Softmax(Add(MatMul(Mul(q, f32[] 0.25), Transpose(k) {perm=[0,1,3,2]}), mask)) {axis=3}, v)";
  const std::string standard = head + "y = Attention(q, k, v, mask) {scale=0.25}";
  check(primitives, standard, fused_operators::onnx);
  const std::string taken =
      "f = Reshape(Transpose(q) {perm=[0,2,1,3]}, i64[3] {0, 0, 8}); "
      "a = com.microsoft::MultiHeadAttention(f, k, v, _, _, mask) {num_heads=2, scale=0.25}; "
      "y = Transpose(Reshape(a, i64[4] {0, 0, 2, 4})) {perm=[0,2,1,3]}";
  std::string guarded = taken;
  const std::string rows = "Equal(ReduceMax(Squeeze(mask, i64[1] 1), i64[1] -1), f32[] -inf)";
  guarded.replace(guarded.find("Reshape(a"), 9, "Reshape(Where(" + rows + ", f32[] 0, a)");
  check(standard, head + guarded);
  // Rows that the mask hides are 0, and NaN of values stays.
  for (const std::string_view extents : {"[B,1,S,T]", "[B,2,S,T]", "[1,S,T]", "[2,S,T]", "[S,T]"}) {
    const std::string text =
        "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; m: f32" + std::string(extents) + "; ";
    for (const std::string_view node :
         {"y = Attention(q, k, Add(v, Log(ReduceMin(v, i64[1] 2))), m)", "y = Attention(q, k, v, Log(Relu(m)))",
          "y = Attention(q, k, v, Cast(Relu(m)) {to=bool})"}) {
      INFO(text + std::string(node));
      const Trial trial = fused(text + std::string(node));
      CHECK(operators(trial.run()) == "MultiHeadAttention");
      CHECK(trial.equivalent({.atol = 1e-5, .dims = {{"B", 2}, {"S", 3}, {"T", 4}}}));
    }
  }
  // Its mask hides no row, so that no query sees nothing.
  std::string chosen = standard;
  const std::string_view input = "mask: f32[B,1,S,T]; ";
  const std::string made = "c: bool[B,1,S,T]; mask = Where(c, f32[] 0, f32[] -1e38); ";
  chosen.replace(chosen.find(input), input.size(), made);
  std::string head_of_chosen = head;
  head_of_chosen.replace(head_of_chosen.find(input), input.size(), made);
  check(chosen, head_of_chosen + taken);
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
  CHECK(refuses("y = Attention(q, q, q, mask) {is_causal=1}", "all keys of a query"));
  CHECK(refuses("y, _, _, s = Attention(q, k, v, mask); return y, s", "scores"));
  CHECK(refuses("y, p = Attention(q, k, v, mask); return y, p", "present keys or values"));
  CHECK(refuses("y = Attention(q, k, v, _, k, v)", "its present is unused"));
  for (const std::string_view operands : {"q, Mul(k, f32[] 2), v", "q, k, Mul(v, f32[] 2)"}) {
    const std::string node = "y, a, b = Attention(" + std::string(operands) + ", _, k, v); return y, a, b";
    CHECK(refuses(node, "multiplied"));
  }
  const std::string uneven =
      "pk: f32[B,2,P,4]; pv: f32[B,2,Q,4]; y, a, b = Attention(q, k, v, _, pk, pv); return y, a, b";
  CHECK(refuses(uneven, "differ in length"));
  const std::string later = "opset 24" + head.substr(8);
  CHECK(fused(later + "y = Attention(q, k, v, mask)").run().changed);
  CHECK(fused(later + "w: f32[B,1,S,W]; y = Attention(q, k, v, w)").refuses("shorter than the keys"));
  CHECK(fused("opset 25" + head.substr(8) + "y = Attention(q, k, v) {right_window_size=0}").refuses("window"));
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
  CHECK(fused(groups).refuses("another number of heads"));
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

TEST_CASE("a row that is hidden means the same, whatever is added to its scores first") {
  const Trial hidden = fused(text(projections, heads,
                                  "p = f32[1,1,1,1] -3.4028235e38; none = bool[1,1,1,1] 0; "
                                  "s = Where(none, Add(Mul(MatMul(qh, kt), f32[] 0.5773503), p), f32[] -3.4e38); ",
                                  result));
  CHECK(operators(hidden.run()) == "MultiHeadAttention");
  CHECK(hidden.equivalent());
}

TEST_CASE("a bias of merged heads is split as their scores are") {
  for (const std::string_view keys : {"steps", "i64[1] -1"}) {  // some exporters leave it to the runtime
    const std::string graph =
        "opset 17; x: f32[B,S,4]; mask: f32[B,1,S,S]; t = i64[4] {0, 0, 2, 2}; "
        "qh = Transpose(Reshape(x, t)) {perm=[0,2,1,3]}; "
        "rows = Concat(i64[1] -1, Shape(x) {start=1, end=2}, i64[1] 2) {axis=0}; qm = Reshape(qh, rows); "
        "steps = Shape(x) {start=1, end=2}; p: f32[B,2,1,S]; "
        "merged = Reshape(p, Concat(i64[2] {-1, 1}, steps) {axis=0}); "
        "s = Add(Mul(MatMul(qm, Transpose(qm) {perm=[0,2,1]}), f32[] 0.7), merged); "
        "apart = Reshape(s, Concat(Shape(x) {end=1}, i64[1] 2, steps, " +
        std::string(keys) +
        ") {axis=0}); "
        "y = Reshape(Transpose(MatMul(Softmax(Add(apart, mask)) {axis=-1}, qh)) {perm=[0,2,1,3]}, i64[3] {0, 0, 4})";
    CHECK(operators(fused(graph).run()) == "MultiHeadAttention");
    CHECK(fused(graph).equivalent());
  }
}

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

TEST_CASE("what capped scores need of the runtime is noted") {
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
