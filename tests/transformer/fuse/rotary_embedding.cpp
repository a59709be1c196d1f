#include <graft/transformer/fuse/rotary_embedding.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string join(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

/// x, [B,3,S,4], and angles of its positions, [B,S,2].
constexpr std::string_view head =
    "x: f32[B,3,S,4]; p: i64[B,S]; f = Mul(Cast(Unsqueeze(p, i64[1] 2)) {to=f32}, f32[2] {1, 0.1}); ";
constexpr std::string_view halves =
    "a = Slice(x, i64[1] 0, i64[1] 2, i64[1] 3); b = Slice(x, i64[1] 2, i64[1] 9, i64[1] -1); ";
constexpr std::string_view neighbours =
    "a = Slice(x, i64[1] 0, i64[1] 4, i64[1] 3, i64[1] 2); b = Slice(x, i64[1] 1, i64[1] 4, i64[1] 3, i64[1] 2); ";
constexpr std::string_view repeated =
    "r = Concat(f, f) {axis=-1}; c = Unsqueeze(Cos(r), i64[1] 1); s = Unsqueeze(Sin(r), i64[1] 1); ";
constexpr std::string_view once = "c = Unsqueeze(Cos(f), i64[1] 1); s = Unsqueeze(Sin(f), i64[1] 1); ";

const std::string by_halves =
    join({head, halves, repeated, "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, c), Mul(t, s))"});

Trial fused(std::string_view graph, const FusedOperators& runtime = fused_operators::ort_cpu) {
  return given(graph).pass(fuse_rotary_embeddings(runtime));
}

const Equivalence how{.inputs = 8, .atol = 1e-5, .dims = {{"B", 2}, {"S", 3}}};

/// The table of angles of [B,1,S,2], its rows counted through all batches.
constexpr std::string_view table =
    "u = i64[1] 1; c = Unsqueeze(Cos(f), u); s = Unsqueeze(Sin(f), u); d = Gather(Shape(c), i64[2] {0, 2}); "
    "n = ReduceProd(d) {keepdims=0}; i = Reshape(Range(i64[] 0, n, i64[] 1), d) {allowzero=1}; "
    "e = i64[2] {-1, 2}; ct = Reshape(c, e); st = Reshape(s, e); ";

}  // namespace

TEST_CASE("heads that are turned by halves become RotaryEmbedding") {
  for (const std::string_view sum :
       {"y = Add(Mul(x, c), Mul(t, s))", "y = Add(Mul(s, t), Mul(c, x))", "y = Add(Mul(t, s), Mul(x, c))"}) {
    const std::string graph = join({head, halves, repeated, "t = Concat(Neg(b), a) {axis=-1}; ", sum});
    INFO(graph);
    CHECK(fused(graph).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st)"})));
    CHECK(fused(graph).equivalent(how));
  }
  const std::string split = join({head, repeated,
                                  "a, b = Split(x, i64[2] {2, 2}) {axis=3}; "
                                  "t = Concat(Neg(b), a) {axis=3}; y = Add(Mul(x, c), Mul(t, s))"});
  CHECK(fused(split).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st)"})));
  CHECK(variants(fuse_rotary_embeddings(fused_operators::ort_cpu), by_halves, how));
}

TEST_CASE("heads that are turned part by part become RotaryEmbedding") {
  constexpr std::string_view parts = "u = Sub(Mul(a, c), Mul(b, s)); v = Add(Mul(a, s), Mul(b, c)); ";
  const std::string by_parts = join({head, halves, once, parts, "y = Concat(u, v) {axis=-1}"});
  CHECK(fused(by_parts).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st)"})));
  CHECK(variants(fuse_rotary_embeddings(fused_operators::ort_cpu), by_parts, how));
  const std::string stacked = join(
      {head, neighbours, once, parts,
       "z = Concat(Unsqueeze(u, i64[1] 4), Unsqueeze(v, i64[1] 4)) {axis=4}; y = Reshape(z, i64[4] {0, 0, 0, 4})"});
  CHECK(
      fused(stacked).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st) {interleaved=1}"})));
  CHECK(variants(fuse_rotary_embeddings(fused_operators::ort_cpu), stacked, how));
}

TEST_CASE("rotary rules by themselves fuse for ONNX Runtime's CPU kernels") {
  constexpr std::string_view parts = "u = Sub(Mul(a, c), Mul(b, s)); v = Add(Mul(a, s), Mul(b, c)); ";
  const Run run =
      given(join({head, halves, once, parts, "y = Concat(u, v) {axis=-1}"})).rule(rotary_embedding_of_parts).run();
  CHECK(run.model.graph().output(0)->producer()->is("com.microsoft::RotaryEmbedding"));
}

TEST_CASE("parts are found in products of either order") {
  for (const std::string_view parts : {"u = Sub(Mul(c, a), Mul(s, b)); v = Add(Mul(s, a), Mul(c, b)); ",
                                       "u = Sub(Mul(c, a), Mul(b, s)); v = Add(Mul(c, b), Mul(a, s)); "}) {
    const std::string by_parts = join({head, halves, once, parts, "y = Concat(u, v) {axis=-1}"});
    CHECK(fused(by_parts).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st)"})));
    const std::string stacked = join(
        {head, neighbours, once, parts,
         "z = Concat(Unsqueeze(u, i64[1] 4), Unsqueeze(v, i64[1] 4)) {axis=4}; y = Reshape(z, i64[4] {0, 0, 0, 4})"});
    CHECK(fused(stacked).becomes(
        join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st) {interleaved=1}"})));
  }
}

TEST_CASE("neighbours that a Reshape puts side by side are not pairs") {
  constexpr std::string_view parts = "u = Sub(Mul(a, c), Mul(b, s)); v = Add(Mul(a, s), Mul(b, c)); ";
  const auto stacked = [&](std::string_view added) {
    return join({head, neighbours, once, parts, "z = Concat(Unsqueeze(u, i64[1] ", added, "), Unsqueeze(v, i64[1] ",
                 added, ")) {axis=4}; y = Reshape(z, i64[4] {0, 0, 0, 4})"});
  };
  CHECK(fused(stacked("3")).refuses("joined in another way"));
  CHECK(fused(stacked("-1")).run().changed);
}

TEST_CASE("there may be no step") {
  CHECK(fused(by_halves).equivalent({.inputs = 2, .atol = 1e-5, .dims = {{"B", 2}, {"S", 0}}}));
  CHECK(fused(by_halves).equivalent({.inputs = 2, .atol = 1e-5, .dims = {{"B", 0}, {"S", 3}}}));
}

TEST_CASE("angles that an Unsqueeze along another axis makes are not taken from it") {
  const std::string graph =
      "opset 23; x: f32[B,3,S,2]; f: f32[B,1,S]; a, b = Split(x, i64[2] {1, 1}) {axis=3}; u = i64[1] 3; "
      "c = Unsqueeze(Cos(f), u); s = Unsqueeze(Sin(f), u); t = Concat(Neg(b), a) {axis=3}; "
      "y = Add(Mul(x, Concat(c, c) {axis=3}), Mul(t, Concat(s, s) {axis=3}))";
  const Run run = fused(graph, fused_operators::onnx).run();
  const Node* const rotary = run.model.graph().output(0)->producer();
  REQUIRE(rotary->is("RotaryEmbedding"));
  CHECK(rotary->input(1)->producer()->is("Squeeze"));
}

TEST_CASE("models without rotary embeddings stay as they are") {
  for (const std::string_view graph :
       {"i: i64[B,S]; w = f32[9,4] random; t = f32[2,4] 0; y = Add(Gather(w, i), Gather(t, i))",
        "x: f32[B,4]; y = Cos(Concat(x, x) {axis=-1})", "x: f32[B,4]; y = Mul(Concat(x, x) {axis=-1}, f32[] 2)"})
    CHECK_FALSE(fused(graph).run().changed);
}

TEST_CASE("neighbours that are turned at once become RotaryEmbedding") {
  const auto pairs = [](std::string_view name, std::string_view even, std::string_view odd) {
    return join({name, " = Reshape(Concat(Unsqueeze(", even, ", i64[1] 4), Unsqueeze(", odd,
                 ", i64[1] 4)) {axis=4}, i64[4] {0, 0, 0, 4}); "});
  };
  const std::string graph = join({head, neighbours, once, pairs("cc", "c", "c"), pairs("ss", "s", "s"), "m = Neg(b); ",
                                  pairs("t", "m", "a"), "y = Add(Mul(x, cc), Mul(t, ss))"});
  CHECK(fused(graph).becomes(join({head, table, "y = com.microsoft::RotaryEmbedding(x, i, ct, st) {interleaved=1}"})));
  CHECK(fused(graph).equivalent(how));
}

TEST_CASE("heads are turned in front of the Transpose that splits them") {
  const std::string graph =
      join({"w: f32[B,S,12]; p: i64[B,S]; f = Mul(Cast(Unsqueeze(p, i64[1] 2)) {to=f32}, f32[2] {1, 0.1}); ",
            "x = Transpose(Reshape(w, i64[4] {0, 0, 3, 4})) {perm=[0,2,1,3]}; ", halves, repeated,
            "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, c), Mul(t, s))"});
  const Run run = fused(graph).run();
  REQUIRE(run.changed);
  CHECK(run.model.graph().output(0)->producer()->is("Transpose"));
  CHECK(fused(graph).equivalent(how));
}

TEST_CASE("angles for all batches alike are counted from the first") {
  const std::string graph = join({"x: f32[B,3,S,4]; f: f32[1,S,2]; ", halves, repeated,
                                  "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, c), Mul(t, s))"});
  CHECK(
      fused(graph).becomes("x: f32[B,3,S,4]; f: f32[1,S,2]; u = i64[1] 1; c = Unsqueeze(Cos(f), u); "
                           "s = Unsqueeze(Sin(f), u); e = i64[2] {-1, 2}; ct = Reshape(c, e); st = Reshape(s, e); "
                           "y = com.microsoft::RotaryEmbedding(x, i64[1] 0, ct, st)"));
  CHECK(fused(graph).equivalent(how));
}

TEST_CASE("tables of angles whose rows are the same twice are looked up by halves") {
  const auto looked_up = [](std::string_view cosines) {
    return join({"x: f32[B,3,S,4]; p: i64[B,S]; ct = f32[3,4] {", cosines,
                 "}; st = f32[3,4] {0, 0.1, 0, 0.1, 0.8, 0.2, 0.8, 0.2, 0.9, 0.3, 0.9, 0.3}; ",
                 "c = Unsqueeze(Gather(ct, p), i64[1] 1); s = Unsqueeze(Gather(st, p), i64[1] 1); ", halves,
                 "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, c), Mul(t, s))"});
  };
  const std::string graph = looked_up("1, 1, 1, 1, 0.5, 0.9, 0.5, 0.9, 0.1, 0.8, 0.1, 0.8");
  CHECK(fused(graph).equivalent(how));
  const Run run = fused(graph).run();
  CHECK(run.model.graph().output(0)->producer()->is("com.microsoft::RotaryEmbedding"));
  const Run other = fused(looked_up("1, 1, 1, 1, 0.5, 0.9, 0.5, 0.9, 0.1, 0.8, 0.1, 0.7")).run();
  CHECK(other.model.graph().output(0)->producer()->is("Add"));
}

TEST_CASE("main-domain RotaryEmbedding takes angles as they are, and is taken to the runtime's operator") {
  const std::string standard = join({"opset 23; ", head, "y = RotaryEmbedding(x, Cos(f), Sin(f))"});
  CHECK(fused("opset 23; " + by_halves, fused_operators::onnx).becomes(standard));
  CHECK(fused("opset 23; " + by_halves, fused_operators::onnx).equivalent(how));
  CHECK(fused(standard).equivalent(how));
  CHECK(fused(standard, fused_operators::onnx).refuses("no other operator"));
}

TEST_CASE("rotary embeddings are left where they are something else") {
  const std::string doubled = join({head, halves, once, "cc = Concat(c, c) {axis=-1}; ss = Concat(s, s) {axis=-1}; ",
                                    "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, cc), Mul(t, ss))"});
  CHECK(fused(doubled).equivalent(how));
  const auto refuses = [&](std::string_view from, std::string_view to, std::string_view reason) {
    std::string graph = doubled;
    return fused(graph.replace(graph.find(from), from.size(), to)).refuses(reason);
  };
  CHECK(refuses("i64[1] 2, i64[1] 9", "i64[1] 1, i64[1] 3", "pairs"));
  CHECK(refuses("Concat(Neg(b), a)", "Concat(Neg(a), b)", "pairs"));
  CHECK(refuses("i64[1] 0, i64[1] 2, i64[1] 3", "i64[1] 0, i64[1] 2, i64[1] 1", "not known"));
  CHECK(refuses("x: f32[B,3,S,4]", "x: f32[B,H,S,4]", "number of heads"));
  CHECK(refuses("p: i64[B,S]", "p: i64[C,S]", "another batch"));
  CHECK(refuses("p: i64[B,S]", "p: i64[B,1]", "number of angles"));
  CHECK(refuses("Concat(c, c)", "Concat(c, s)", ""));
  CHECK(fused(doubled, fused_operators::onnx).refuses("opset"));
}
