#include <graft/transformer/detail/merged_projections.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "transformer/attention_graphs.hpp"

using namespace attention_graphs;

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
    for (const Node& node : run.model.graph().nodes()) found += node.is("com.microsoft::MultiHeadAttention");
    CHECK(found == 1);
    CHECK(fused(graph, fused_operators::ort_cpu).equivalent());
  }
}

TEST_CASE("projections of steps in front of batches are merged into Attention") {
  const std::string graph =
      "x: f32[B,S,6]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,6] random; bk = f32[6] random; "
      "t = Transpose(x) {perm=[1,0,2]}; q = MatMul(t, wq); k = Add(MatMul(t, wk), bk); v = MatMul(t, wv); " +
      heads_in_batch("qh", "q") + heads_in_batch("kh", "k") + heads_in_batch("vh", "v") + std::string(merged_scores) +
      "y = Reshape(Transpose(MatMul(Softmax(s) {axis=-1}, vh)) {perm=[1,0,2]}, i64[2] {-1, 6})";
  check(graph,
        "x: f32[B,S,6]; w = f32[6,18] _; b = f32[18] _; o = com.microsoft::Attention(x, w, b) {num_heads=2}; "
        "y = Reshape(Transpose(o) {perm=[1,0,2]}, i64[2] {-1, 6})",
        fused_operators::ort_cpu);
}
