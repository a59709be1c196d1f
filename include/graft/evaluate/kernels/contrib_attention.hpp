#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/concatenated.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/kernels/attention.hpp>
#include <graft/evaluate/kernels/gemm.hpp>

/// Attention and MultiHeadAttention of com.microsoft, as ONNX Runtime's CPU kernels compute them. A query that sees no
/// key averages all values: up to 1.32 these kernels have not changed as the main domain's Attention has.

namespace graft::inline v1::standard_kernels::detail {

/// [batch, heads, steps, size] as [batch, steps, heads * size].
inline Tensor joined_heads(const Tensor& x) {
  return permuted(x, {0, 2, 1, 3}).reshaped({x.dims()[0], x.dims()[2], x.dims()[1] * x.dims()[3]});
}

/// Some columns of the last axis.
inline Tensor columns(const Tensor& x, std::int64_t first, std::int64_t count) {
  Dims dims = x.dims();
  if (dims.empty() || first < 0 || count < 0 || first > dims.back() || count > dims.back() - first)
    throw failure({"no columns ", first, " to ", first + count, " of ", x});
  const std::int64_t width = dims.back(), size = to_int(element_size(x));
  dims.back() = count;
  Tensor y = unfilled(x.dtype(), dims);
  std::byte* to = y.mutable_bytes().data();
  for (std::int64_t row = 0; row * width < x.size(); ++row, to += count * size)
    std::copy_n(x.bytes().data() + (row * width + first) * size, count * size, to);
  return y;
}

/// The mask as an addend of the scores [batch, heads, queries, keys], in f32, or f64 for f64 queries. Integer masks
/// hide zeros with `filter`. They are [batch] (ends), [2 * batch] (ends, then starts), [batch, keys] or [batch,
/// queries, keys].
inline Tensor key_mask(const Tensor& mask, const Dims& scores, double filter) {
  const std::int64_t batch = scores[0], queries = scores[2], keys = scores[3];
  const auto given = mask.to<std::int64_t>();
  const bool by_row = mask.rank() == 3, starts = mask.rank() == 1 && mask.dims()[0] == 2 * batch;
  const bool fits = mask.rank() == 1   ? starts || mask.dims()[0] == batch
                    : mask.rank() == 2 ? mask.dims() == Dims{batch, keys}
                                       : mask.dims() == Dims{batch, queries, keys};
  if (!fits) throw failure({"the mask ", mask, " for scores ", scores});
  std::vector<double> bias;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < (by_row ? queries * keys : keys); ++i) {
      const bool shown = mask.rank() > 1 ? given[to_size(b * (by_row ? queries * keys : keys) + i)] > 0
                                         : i < given[to_size(b)] && (!starts || i >= given[to_size(batch + b)]);
      bias.push_back(shown ? 0 : filter);
    }
  }
  return Tensor::of(DType::f32, {batch, 1, by_row ? queries : 1, keys}, bias);
}

/// The keys that a query sees: those before the end of its batch, not behind the query, and within the window.
struct KeyWindow {
  Ints past, ends;           // of each batch: the number of steps before the queries, and of all valid steps
  std::int64_t window = -1;  // -1: all
};

/// softmax(q k^T scale + added) v of [batch, heads, ., .]; several heads of q may share a head of k and v.
struct DotProductAttention {
  double scale = 1, softcap = 0;
  std::vector<Tensor> added{};
  std::optional<std::int64_t> lowered_after{};  // the past: keys behind a query get the lowest score, as in Attention
  std::optional<KeyWindow> window{};

  Tensor operator()(const Tensor& q, const Tensor& k, const Tensor& v) const;
};

inline Tensor DotProductAttention::operator()(const Tensor& q, const Tensor& k, const Tensor& v) const {
  const std::int64_t batch = q.dims()[0], heads = q.dims()[1], queries = q.dims()[2];
  const std::int64_t groups = k.dims()[1], keys = k.dims()[2];
  if (groups < 1 || heads % groups != 0 || k.dims()[0] != batch || v.dims()[0] != batch || v.dims()[1] != groups ||
      v.dims()[2] != keys) {
    throw failure({"keys ", k, " and values ", v, " for queries ", q});
  }
  const DType dtype = q.dtype(), wide = computed_in(dtype);
  const Dims dims{batch, heads, queries, keys};
  const Tensor rows = cast(q, wide).reshaped({batch, groups, heads / groups * queries, q.dims()[3]});
  Tensor scores = times(multiply_any(rows, cast(k, wide), true), scale).reshaped(dims);
  if (softcap > 0) scores = times(map_floats(times(std::move(scores), 1 / softcap), Tanh()), softcap);
  for (const Tensor& bias : added) scores = arithmetic_onto<Add>(std::move(scores), "mask", cast(bias, wide));
  visit<float, double>(wide, [&]<class T>() {
    T* row = scores.mutable_data<T>().data();
    for (std::int64_t i = 0; i < batch * heads * queries; ++i, row += keys) {
      const std::int64_t query = i % queries;
      if (lowered_after)
        std::fill(row + std::min(keys, *lowered_after + query + 1), row + keys,
                  static_cast<T>(std::numeric_limits<float>::lowest()));
      if (!window) continue;
      const std::size_t b = to_size(i / (heads * queries));
      const std::int64_t behind = std::clamp<std::int64_t>(window->past[b] + query + 1, 0, window->ends[b]);
      const std::int64_t first = window->window < 0 ? 0 : std::max<std::int64_t>(0, behind - window->window);
      std::fill(row, row + first, -std::numeric_limits<T>::infinity());
      std::fill(row + behind, row + keys, -std::numeric_limits<T>::infinity());
    }
  });
  scores = softmax(std::move(scores), AxisView(dims, 3));
  const Tensor y = multiply_any(scores.reshaped({batch, groups, heads / groups * queries, keys}), cast(v, wide), false);
  return joined_heads(cast(y.reshaped({batch, heads, queries, v.dims()[3]}), dtype));
}

inline double attention_scale(const KernelContext& ctx, std::int64_t size) {
  const auto given = static_cast<double>(ctx.attr_or<float>("scale", 0));
  return given == 0 ? 1 / std::sqrt(static_cast<double>(size)) : given;
}

inline std::int64_t count_heads(const KernelContext& ctx, const char* attribute = "num_heads") {
  const auto heads = ctx.attr_or<std::int64_t>(attribute, 0);
  if (heads < 1) throw failure({heads, " heads"}).field(attribute);
  return heads;
}

inline void refuse_input(const KernelContext& ctx, std::size_t i, std::string_view name) {
  if (ctx.has_input(i)) throw Error("this input is not computed with").field(name);
}
inline void refuse_attribute(const KernelContext& ctx, std::string_view name) {
  if (ctx.attr_or<std::int64_t>(name, 0) > 0) throw Error("it is not computed").field(name);  // -1 is unset
}

/// The inputs of an attention besides the projections.
struct AttentionInputs {
  std::size_t mask, past;
  std::optional<std::size_t> added{};  // the bias of the scores
};

/// projected: queries, keys and values, concatenated on the last axis, [batch, steps, .]. past and present are [2,
/// batch, heads, steps, size].
inline void attend_projected(KernelContext& ctx, const Tensor& projected, const AttentionInputs& inputs) {
  refuse_attribute(ctx, "do_rotary");
  refuse_attribute(ctx, "past_present_share_buffer");
  const std::int64_t heads = count_heads(ctx);
  if (projected.rank() != 3) throw failure({projected, " is not of rank 3"});
  const std::int64_t width = projected.dims().back();
  const Ints sizes = ctx.attr_or<Ints>("qkv_hidden_sizes", {width / 3, width / 3, width / 3});
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width)
    throw failure({projected, " is not of ", sizes});
  std::array<Tensor, 3> parts;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < 3; first += sizes[i++])
    parts[i] = split_heads(columns(projected, first, sizes[i]), heads);
  std::int64_t past = 0;
  if (ctx.has_input(inputs.past)) {
    const Tensor before = ctx.take_input(inputs.past);
    if (before.rank() != 5 || before.dims()[0] != 2) throw failure({"a past of ", before});
    past = before.dims()[3];
    const Dims each(before.dims().begin() + 1, before.dims().end());
    const std::size_t half = before.bytes().size() / 2;
    for (std::size_t i = 0; i < 2; ++i) {
      Tensor part(before.dtype(), each);
      std::copy_n(before.bytes().data() + i * half, half, part.mutable_bytes().data());
      parts[1 + i] = concatenated(std::array{part, parts[1 + i]}, 2);
    }
  }
  const Dims scores{parts[0].dims()[0], heads, parts[0].dims()[2], parts[1].dims()[2]};
  DotProductAttention attend{attention_scale(ctx, parts[0].dims()[3])};
  if (ctx.has_input(inputs.mask)) {
    const auto filter = static_cast<double>(ctx.attr_or<float>("mask_filter_value", -10000));
    attend.added.push_back(key_mask(ctx.input(inputs.mask), scores, filter));
  }
  if (inputs.added && ctx.has_input(*inputs.added)) attend.added.push_back(ctx.input(*inputs.added));
  if (ctx.attr_or<std::int64_t>("unidirectional", 0) != 0) attend.lowered_after = past;
  ctx.set_output(0, attend(parts[0], parts[1], parts[2]));
  if (!ctx.has_output(1)) return;
  Dims present = parts[1].dims();
  present.insert(present.begin(), 1);
  const std::array both{parts[1].reshaped(present), parts[2].reshaped(present)};
  ctx.set_output(1, concatenated(both, 0));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// One matrix projects x [batch, steps, in] to queries, keys and values.
inline void contrib_attention(KernelContext& ctx) {
  Tensor projected = detail::matmul(ctx.take_input(0), ctx.take_input(1), ctx.parallel());
  if (ctx.has_input(2))
    projected = detail::arithmetic_onto<detail::Add>(std::move(projected), "bias", ctx.take_input(2));
  detail::attend_projected(ctx, projected, {.mask = 3, .past = 4, .added = 5});
}

/// query [batch, steps, heads * size]; key and value have the same form, or [batch, heads, steps, size]. A bias is
/// added to all three first.
inline void contrib_multi_head_attention(KernelContext& ctx) {
  detail::refuse_input(ctx, 8, "past_sequence_length");
  detail::refuse_input(ctx, 9, "cache_indirection");
  const std::int64_t heads = detail::count_heads(ctx);
  if (ctx.input(0).rank() != 3 || !ctx.has_input(1) || !ctx.has_input(2))
    throw Error("packed queries, keys and values are not computed");
  std::array<Tensor, 3> parts;
  std::int64_t first = 0, past = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Tensor part = ctx.take_input(i);
    if (part.rank() != 3 && part.rank() != 4) throw detail::failure({part, " is not of rank 3 or 4"});
    const std::int64_t width = part.rank() == 4 ? part.dims()[1] * part.dims()[3] : part.dims().back();
    if (ctx.has_input(3)) {
      Tensor bias = detail::columns(ctx.input(3), first, width);
      if (part.rank() == 4) bias = bias.reshaped({part.dims()[1], 1, part.dims()[3]});
      part = detail::arithmetic_onto<detail::Add>(std::move(part), "bias", std::move(bias));
    }
    first += width;
    parts[i] = detail::split_heads(part, heads);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (!ctx.has_input(6 + i)) continue;
    const std::array both{ctx.take_input(6 + i), parts[1 + i]};
    past = both[0].rank() == 4 ? both[0].dims()[2] : 0;
    parts[1 + i] = concatenated(both, 2);
  }
  const Dims scores{parts[0].dims()[0], heads, parts[0].dims()[2], parts[1].dims()[2]};
  detail::DotProductAttention attend{detail::attention_scale(ctx, parts[0].dims()[3])};
  if (ctx.has_input(4)) {
    const auto filter = static_cast<double>(ctx.attr_or<float>("mask_filter_value", -10000));
    attend.added.push_back(detail::key_mask(ctx.input(4), scores, filter));
  }
  if (ctx.has_input(5)) attend.added.push_back(ctx.input(5));
  if (ctx.attr_or<std::int64_t>("unidirectional", 0) != 0) attend.lowered_after = past;
  if (ctx.has_output(3)) throw Error("the output of scores is not supported");
  ctx.set_output(0, attend(parts[0], parts[1], parts[2]));
  ctx.set_output(1, parts[1]);
  ctx.set_output(2, parts[2]);
}

inline void add_contrib_attention(Kernels& kernels) {
  kernels.add("com.microsoft::Attention", contrib_attention)
      .add("com.microsoft::MultiHeadAttention", contrib_multi_head_attention);
}

}  // namespace graft::inline v1::standard_kernels
