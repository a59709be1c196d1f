#pragma once
#include <graft/lower/packed_attention_to_packed_mha.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/packed_attention.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

inline Verdict has_one_batch(const Node& node) {
  const Dim batch = dim_of(*node.input(0), 0);
  return batch.known() && batch.value() == 1 ? Verdict::yes() : Verdict::no("its batch is not known to be 1");
}

/// Token offsets as PackedMultiHeadAttention has them, int32 [sequences, longest]: for each token its place in the
/// padded batch, and behind them the places that are padding.
inline Value& token_offsets(const PackedAttention& attention, Value& cumulative_lengths) {
  using Inputs = std::initializer_list<Value*>;
  const auto op = [&](std::string_view name, Inputs inputs, const Attributes& attributes = {}) {
    return &attention.op(name, inputs, attributes);
  };
  const auto number = [&](std::int32_t n) { return &attention.rewriter.constant(Tensor::scalar(n), "number"); };
  Value* const starts = &attention.starts(cumulative_lengths);
  Value* const lengths = op("Sub", {&attention.ends(cumulative_lengths), starts});
  Value* const longest = op("ReduceMax", {lengths}, {{"keepdims", 0}});
  Value* const sequences = op("Cast", {op("Size", {starts})}, {{"to", DType::i32}});
  Value* const column = op("Range", {number(0), longest, number(1)});
  Value* const row = op("Unsqueeze", {op("Range", {number(0), sequences, number(1)}), &attention.ints({1})});
  Value* const places = op("Add", {op("Mul", {row, longest}), column});
  Value* const is_token = op("Less", {column, op("Unsqueeze", {lengths, &attention.ints({1})})});
  Value* const tokens = op("Reshape", {is_token, &attention.ints({-1})});
  Value* const padding = op("Not", {tokens});
  Value* const order = op("Concat", {op("Compress", {places, tokens}), op("Compress", {places, padding})},
                          {{"axis", 0}});
  return *op("Reshape", {order, op("Shape", {places})});
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto packed_attention_to_packed_mha =
    rule<"packed-attention-to-packed-mha">(
        op<"custom::PackedAttention">(rest<>).with(any_attributes).as(outer),
        where(predicate<detail::is_packed_attention>("")(outer), predicate<detail::has_one_batch>("")(outer)),
        [](const auto& m, Rewriter& rewriter) {
          const detail::PackedAttention attention{rewriter, m[outer]};
          const auto tokens = [&](std::size_t input) {
            return &attention.turned(input, {2, 0, 1, 3}, {0, -1});
          };
          Value& lengths = attention.lengths(DType::i32);
          Value& seen = attention.op("com.microsoft::PackedMultiHeadAttention",
                                     {tokens(0), tokens(1), tokens(2), nullptr,
                                      &detail::token_offsets(attention, lengths), &lengths},
                                     attention.attributes());
          Value& by_head = attention.op("Reshape", {&seen, &attention.ints({0, 1, attention.heads(), -1})});
          return rewriter.replace(*m[outer].output(0),
                                  attention.op("Transpose", {&by_head}, {{"perm", Ints{1, 0, 2, 3}}}));
        });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView packed_attention_to_packed_mha =
    vocabulary::packed_attention_to_packed_mha.view();

GRAFT_INLINE Pass packed_attentions_to_packed_mhas() {
  return detail::on_packed_attentions("packed_attentions_to_packed_mhas", sweep(packed_attention_to_packed_mha));
}

}  // namespace graft::inline v1
