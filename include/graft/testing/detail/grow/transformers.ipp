#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Attention, and operators that are used with it.

namespace graft::inline v1::detail {

/// A value [batch, steps, width], whose dtype the others have.
inline Value& sequence(NodeMaker& node, std::size_t i, std::int64_t width) {
  if (node.is_given(i)) return *node.operand(i).value;
  const std::int64_t batch = node.dice().between(1, 2), steps = node.dice().between(2, 4);
  return node.value(i, Want{.dims = Dims{batch, steps, width}}.of(dtype_bit(DType::f32)));
}

inline void make_contrib_attention(NodeMaker& node) {
  const std::int64_t heads = 2, width = 8;
  const Value& x = sequence(node, 0, 6);
  node.set("num_heads", heads);
  node.weight(1, {NodeMaker::extent_from_end(x, 1), 3 * width}, {-1, 1}, x.dtype());
  if (node.wanted(2)) node.weight(2, {3 * width}, {-1, 1}, x.dtype());
  node.may("unidirectional", 1, 3);
  node.may("scale", 0.25, 3);
}

inline void make_multi_head_attention(NodeMaker& node) {
  const std::int64_t width = 8;
  const Value& query = sequence(node, 0, width);
  const std::optional<Dims> same = query.shape().dims();
  if (!same) throw Unfit();
  node.set("num_heads", 2);
  for (std::size_t i = 1; i < 3; ++i) node.value(i, Want{.dims = same}.of(dtype_bit(query.dtype())));
  if (node.wanted(3)) node.weight(3, {3 * width}, {-1, 1}, query.dtype());
  if (node.wanted(5, 4)) node.weight(5, {1, 1, (*same)[1], (*same)[1]}, {-1, 1}, query.dtype());
  node.may("unidirectional", 1, 3);
  node.may("scale", 0.25, 3);
}

inline void make_group_query_attention(NodeMaker& node) {
  const std::int64_t batch = node.dice().between(1, 2), steps = node.dice().between(2, 4);
  const Want own = Want{.dims = Dims{batch, steps, 32}}.of(dtype_bit(DType::f32));
  const Want shared = Want{.dims = Dims{batch, steps, 16}}.of(dtype_bit(DType::f32));
  node.value(0, own);
  node.value(1, shared);
  node.value(2, shared);
  node.constant(5, Tensor::of(DType::i32, {batch}, std::vector<double>(static_cast<std::size_t>(batch),
                                                                      static_cast<double>(steps - 1))));
  node.constant(6, Tensor::of(DType::i32, {1}, {static_cast<double>(steps)}));
  node.set("num_heads", 4);
  node.set("kv_num_heads", 2);
  node.may("scale", 0.25, 3);
  node.outputs = 3;
}

inline void make_standard_attention(NodeMaker& node) {
  const std::int64_t batch = node.dice().between(1, 2), steps = node.dice().between(2, 4);
  const bool in_heads = node.dice().one_in(2);
  const Dims dims = in_heads ? Dims{batch, 2, steps, 4} : Dims{batch, steps, 8};
  const DType dtype = node.dice().any_of({DType::f32, DType::f32, DType::f16});
  for (std::size_t i = 0; i < 3; ++i) node.value(i, Want{.dims = dims}.of(dtype_bit(dtype)));
  if (!in_heads) {
    node.set("q_num_heads", 2);
    node.set("kv_num_heads", 2);
  }
  if (node.wanted(3, 3)) {
    const Dims mask = node.dice().any_of<Dims>({{steps, steps}, {1, 1, steps, steps}});
    node.weight(3, mask, {-1, 1}, dtype);
  }
  node.may("is_causal", 1, 3);
  node.may("scale", 0.25, 3);
}

inline void make_rotary(NodeMaker& node) {
  const bool contrib = !node.is("RotaryEmbedding");
  const std::int64_t batch = node.dice().between(1, 2), steps = node.dice().between(2, 4), size = 4;
  const bool in_heads = node.dice().one_in(2);
  const Value& x = node.value(0, Want{.dims = in_heads ? Dims{batch, 2, steps, size} : Dims{batch, steps, 2 * size}}
                                     .of(dtype_bit(DType::f32)));
  const std::int64_t half = size / 2, longest = 6;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(batch * steps));
  for (std::int64_t& position : positions) position = node.dice().between(0, longest - 1);
  const std::size_t table = contrib ? 2 : 1;
  if (contrib || node.wanted(3)) {
    node.constant(contrib ? 1 : 3, Tensor::of<std::int64_t>({batch, steps}, positions));
    for (std::size_t i = table; i < table + 2; ++i) node.weight(i, {longest, half}, {-1, 1}, x.dtype());
  } else {
    for (std::size_t i = table; i < table + 2; ++i) node.weight(i, {batch, steps, half}, {-1, 1}, x.dtype());
  }
  if (!in_heads) node.set("num_heads", 2);
  if (!in_heads && contrib) node.set("rotary_embedding_dim", 0);
  node.may("interleaved", 1, 3);
}

inline void make_embed(NodeMaker& node) {
  const std::int64_t batch = node.dice().between(1, 2), steps = node.dice().between(1, 3), width = 4, words = 5;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(batch * steps));
  for (std::int64_t& number : numbers) number = node.dice().between(0, words - 1);
  node.constant(0, Tensor::of(DType::i32, {batch, steps}, numbers));
  const bool segments = node.wanted(1);
  if (segments) {
    for (std::int64_t& number : numbers) number = node.dice().between(0, 1);
    node.constant(1, Tensor::of(DType::i32, {batch, steps}, numbers));
    node.weight(4, {2, width}, {-1, 1}, DType::f32);
  }
  node.weight(2, {words, width}, {-1, 1}, DType::f32);
  node.weight(3, {steps + 1, width}, {-1, 1}, DType::f32);
  node.weight(5, {width}, {0.5, 2}, DType::f32);
  node.weight(6, {width}, {-1, 1}, DType::f32);
  node.may("epsilon", 0.01);
  node.outputs = 2;
}

GRAFT_INLINE std::span<const Recipe> transformer_recipes() {
  static constexpr Recipe all[] = {{"com.microsoft::Attention", make_contrib_attention},
                                   {"com.microsoft::MultiHeadAttention", make_multi_head_attention},
                                   {"com.microsoft::GroupQueryAttention", make_group_query_attention},
                                   {"Attention", make_standard_attention},
                                   {"RotaryEmbedding|com.microsoft::RotaryEmbedding", make_rotary},
                                   {"com.microsoft::EmbedLayerNormalization", make_embed}};
  return all;
}

}  // namespace graft::inline v1::detail
