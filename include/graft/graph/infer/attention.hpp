#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// Attention (23) of the main domain. Q, K, V: [batch, heads, sequence, size] or [batch, sequence, heads * size];
/// past_key, past_value: [batch, heads, past sequence, size]. Outputs: Y, present_key, present_value, and the scores.
inline Verdict attention(InferContext& c) {
  const Shape q = c.shape(0), k = c.shape(1), v = c.shape(2);
  if (!q.known() || !k.known() || !v.known()) return Verdict::yes();
  if (q.rank() != k.rank() || q.rank() != v.rank() || (q.rank() != 3 && q.rank() != 4)) {
    return Verdict::no("Q, K and V must all have rank 3 or all have rank 4");
  }
  const bool flat = q.rank() == 3;
  const Dim q_heads = flat ? Dim(c.attr("q_num_heads", -1)) : q[1];
  const Dim kv_heads = flat ? Dim(c.attr("kv_num_heads", -1)) : k[1];
  const auto head_size = [&](const Shape& x, const Dim& heads) {
    return flat ? quotient({x[2]}, {heads}).value_or(Dim()) : x[3];
  };
  const Dim k_size = head_size(k, kv_heads), v_size = head_size(v, kv_heads);
  const Dim sequence = q[flat ? 1 : 2], new_keys = k[flat ? 1 : 2];
  Dim keys = new_keys;
  if (c.has(4)) keys = c.shape(4).known() && c.shape(4).rank() == 4 ? c.sum(c.shape(4)[2], new_keys) : Dim();
  if (flat) {
    c.set_shape(0, {q[0], sequence, multiply(q_heads, v_size)});
  } else {
    c.set_shape(0, {q[0], q_heads, sequence, v_size});
  }
  c.set_shape(1, {k[0], kv_heads, keys, k_size});
  c.set_shape(2, {v[0], kv_heads, keys, v_size});
  c.set_shape(3, {q[0], q_heads, sequence, keys});
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
