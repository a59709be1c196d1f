#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/concat.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/elementwise.hpp>
#include <graft/graph/infer/matmul.hpp>
#include <graft/graph/infer/normalization.hpp>
#include <graft/graph/infer/pool.hpp>
#include <graft/graph/infer/reduce.hpp>

/// Operators of com.microsoft that do not equal an operator of the main domain.
namespace graft::inline v1::infer::contrib {

/// QLinearAdd, QLinearMul: A, A_scale, A_zero_point, B, ...
inline Verdict qlinear_binary(InferContext& c) { return broadcast_inputs(c, 0, 2, 3); }

/// QLinearWhere: condition, X, x_scale, x_zero_point, Y, ...
inline Verdict qlinear_where(InferContext& c) {
  const auto chosen = broadcast(c.shape(1), c.shape(4));
  const auto shape = chosen ? broadcast(c.shape(0), *chosen) : std::nullopt;
  if (!shape) return Verdict::no("the inputs do not broadcast");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// QLinearConcat: Y_scale, Y_zero_point, then a tensor, its scale and its zero point in turn.
inline Verdict qlinear_concat(InferContext& c) { return join(c, 2, 3, c.attr("axis", 0)); }

/// QLinearReduceMean: input 1 is a scale; the axes are an attribute.
inline Verdict qlinear_reduce(InferContext& c) {
  auto axes = c.attr<Ints>("axes");
  const bool given = axes.has_value();
  return reduce_axes(c, {given, std::move(axes), {}});
}

/// QGemm: A, a_scale, a_zero_point, B, ...; without y_scale the output is f32.
inline Verdict qgemm(InferContext& c) {
  c.set_dtype(0, c.has(8) ? c.dtype(8) : c.has(7) ? c.dtype(0) : DType::f32);
  return multiply_2d(c, 0, 3);
}

/// FusedMatMul. transA or transB swaps the last two axes of an operand. transBatchA or transBatchB moves its first axis
/// to the second last place.
inline Verdict fused_matmul(InferContext& c) {
  const auto turned = [&](std::size_t i, const char* swaps, const char* moves_batch) {
    const Shape x = c.shape(i);
    if (!x.known() || x.rank() < 2) return x;
    std::vector<Dim> dims = to_dims(x);
    if (c.attr(moves_batch, 0) != 0) std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
    if (c.attr(swaps, 0) != 0) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return Shape(std::move(dims));
  };
  const auto shape = matmul_shape(turned(0, "transA", "transBatchA"), turned(1, "transB", "transBatchB"));
  if (!shape) return Verdict::no("the matrices do not fit");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// MatMulNBits: A [..., K] by a packed [N, K].
inline Verdict matmul_nbits(InferContext& c) {
  const Shape a = c.shape(0);
  if (!a.known()) return Verdict::yes();
  if (a.rank() == 0 || !unify(a[a.rank() - 1], Dim(c.attr("K", -1)))) return Verdict::no("the matrices do not fit");
  std::vector<Dim> out = to_dims(a);
  out.back() = Dim(c.attr("N", -1));
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Attention, QAttention. Input: [batch, sequence, in]; weights: [in, q + k + v], of equal sizes unless
/// qkv_hidden_sizes is set. past and present: [2, batch, heads, past sequence, head].
inline Verdict attention(InferContext& c) {
  const Shape x = c.shape(0), weights = c.shape(1);
  Dim hidden;
  if (const auto sizes = c.attr<Ints>("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    hidden = Dim((*sizes)[2]);
  } else if (weights.known() && weights.rank() == 2) {
    hidden = quotient({weights[1]}, {Dim(3)}).value_or(Dim());
  }
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 3) return Verdict::no("the input of attention must have rank 3");
  c.set_shape(0, {x[0], x[1], hidden});
  if (c.output_count() < 2) return Verdict::yes();
  const Dim heads(c.attr("num_heads", -1));
  const Shape past = c.shape(c.node().is("com.microsoft::Attention") ? 4 : 8);
  const Dim total = past.known() && past.rank() == 5 ? c.sum(past[3], x[1]) : Dim();
  c.set_shape(1, {Dim(2), x[0], heads, total, quotient({hidden}, {heads}).value_or(Dim())});
  return Verdict::yes();
}

/// MultiHeadAttention. query: [batch, sequence, hidden], or packed [batch, sequence, heads, 3, head]. value: [batch,
/// keys, hidden] or [batch, heads, keys, head]. GroupQueryAttention's output is like its query.
inline Verdict multi_head_attention(InferContext& c) {
  const Shape query = c.shape(0), value = c.shape(2);
  if (!query.known()) return Verdict::yes();
  if (query.rank() == 5) {
    c.set_shape(0, {query[0], query[1], multiply(query[2], query[4])});
  } else if (query.rank() == 3) {
    Dim hidden;
    if (value.known() && value.rank() == 3) hidden = value[2];
    if (value.known() && value.rank() == 4) hidden = multiply(value[1], value[3]);
    c.set_shape(0, {query[0], query[1], hidden});
  } else {
    return Verdict::no("the query must have rank 3 or 5");
  }
  return Verdict::yes();
}

/// GroupQueryAttention. query, key, value: [batch, sequence, heads * head]. Without key and value, query packs all
/// three. Without a past, which may be integers, present is of the query's dtype.
inline Verdict group_query_attention(InferContext& c) {
  if (!c.has(3)) {
    c.set_dtype(1, c.dtype(0));
    c.set_dtype(2, c.dtype(0));
  }
  const Shape query = c.shape(0);
  if (!query.known() || query.rank() != 3) return Verdict::yes();
  if (c.has(1)) return same_shape(c);
  const std::int64_t heads = c.attr("num_heads", 0), kv_heads = c.attr("kv_num_heads", 0);
  if (heads <= 0 || kv_heads <= 0 || !query[2].known()) return Verdict::yes();
  c.set_shape(0, {query[0], query[1], Dim(query[2].value() / (heads + 2 * kv_heads) * heads)});
  return Verdict::yes();
}

/// EmbedLayerNormalization. input_ids: [batch, sequence]; word_embedding: [words, hidden]. Outputs: [batch, sequence,
/// hidden], mask_index [batch], and the sum of the embeddings.
inline Verdict embed_layer_normalization(InferContext& c) {
  const Shape ids = c.shape(0), words = c.shape(2);
  if (!ids.known() || ids.rank() != 2) return Verdict::yes();
  const Shape embedded({ids[0], ids[1], words.known() && words.rank() == 2 ? words[1] : Dim()});
  c.set_shape(0, embedded);
  c.set_shape(1, {ids[0]});
  c.set_shape(2, embedded);
  return Verdict::yes();
}

/// SkipLayerNormalization, SkipSimplifiedLayerNormalization. Outputs: output, mean, inv_std_var, and the normalized
/// sum.
inline Verdict skip_layer_normalization(InferContext& c) {
  const Shape x = c.shape(0), statistics = statistics_shape(x, -1);
  c.set_shape(0, x);
  c.set_shape(1, statistics);
  c.set_shape(2, statistics);
  c.set_shape(3, x);
  return Verdict::yes();
}

/// NhwcMaxPool.
inline Verdict nhwc_pool(InferContext& c) { return slide(c, true); }

}  // namespace graft::inline v1::infer::contrib
