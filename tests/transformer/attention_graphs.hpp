#pragma once
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/attention.hpp>

// Graphs that compute attention, and what fuse_attention() makes of them.

namespace attention_graphs {

using namespace graft;

inline constexpr FusedOperator multi_head_operators[]{{"com.microsoft::MultiHeadAttention"}};
inline constexpr FusedOperators multi_head{"multi-head", multi_head_operators};

/// Projections of x, [B,S,6], to 2 heads of 3 each.
inline constexpr std::string_view projections =
    "x: f32[B,S,6]; mask: f32[B,1,S,S]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,6] random; "
    "bq = f32[6] random; bk = f32[6] random; bv = f32[6] random; "
    "q = Add(MatMul(x, wq), bq); k = Add(MatMul(x, wk), bk); v = Add(MatMul(x, wv), bv); ";
inline constexpr std::string_view heads =
    "split = i64[4] {0, 0, 2, 3}; qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, "
    "split)) {perm=[0,2,3,1]}; "
    "vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; ";
inline constexpr std::string_view scores = "s = Add(Mul(MatMul(qh, kt), f32[] 0.5773503), mask); ";
inline constexpr std::string_view result =
    "h = MatMul(Softmax(s) {axis=-1}, vh); y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})";

inline std::string text(std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
  return std::string(a) + std::string(b) + std::string(c) + std::string(d);
}
inline const std::string whole = text(projections, heads, scores, result);

inline Trial fused(std::string_view graph, const FusedOperators& runtime = multi_head) {
  return given(graph).pass(fuse_attention(runtime));
}

/// The graph becomes this one, and computes the same.
inline void check(const std::string& graph, const std::string& expected, const FusedOperators& runtime = multi_head) {
  INFO(graph);
  CHECK(fused(graph, runtime).becomes(expected));
  CHECK(fused(graph, runtime).equivalent());
}

inline std::string operators(const Run& run) {
  std::string all;
  for (const Node& node : run.model.graph().nodes())
    if (node.domain() == "com.microsoft" || node.is("Attention")) all += node.op_type();
  return all;
}

inline const std::string multi_head_result =
    std::string(projections) + "y = com.microsoft::MultiHeadAttention(q, k, v, _, _, mask) {num_heads=2}";

/// Heads of x, [S,B,6], as torch.nn.MultiheadAttention makes them: [B * 2, S, 3].
inline std::string heads_in_batch(std::string_view name, std::string_view x) {
  return std::string(name) + " = Transpose(Reshape(" + std::string(x) + ", i64[3] {0, -1, 3})) {perm=[1,0,2]}; ";
}
inline constexpr std::string_view merged_scores =
    "s = MatMul(Mul(qh, f32[] 0.5773503), Transpose(kh) {perm=[0,2,1]}); ";

}  // namespace attention_graphs
