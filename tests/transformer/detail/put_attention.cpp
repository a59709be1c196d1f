#include <graft/transformer/detail/put_attention.hpp>

#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

TEST_CASE("what the operators make is declared") {
  const auto declares = [](const std::string& graph) {
    Run run = fused(graph).run();
    run.model.commit();
    for (const onnx::ValueInfoProto& info : run.model.proto().graph().value_info())
      if (run.model.graph().find(info.name())->producer()->is("com.microsoft::MultiHeadAttention")) return true;
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
  REQUIRE(cached->is("com.microsoft::MultiHeadAttention"));
  CHECK(cached->input(6)->name() == "pk");
  CHECK(cached->input(7)->name() == "pv");
  CHECK(run.model.graph().output(1)->name() == "nk");
  CHECK(cached->output(2) == run.model.graph().output(2));
}

TEST_CASE("a cache that is not a part of the operator stays in front of it") {
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
