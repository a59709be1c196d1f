#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <graft/evaluate/detail/cache_codes.hpp>
#include <graft/evaluate/kernels/contrib_attention.hpp>
#include <graft/evaluate/kernels/rotary_embedding.hpp>

/// GroupQueryAttention of com.microsoft, as ONNX Runtime's CPU kernel computes it.

namespace graft::inline v1::standard_kernels::detail {

/// Steps of GroupQueryAttention.
struct GroupQueries {
  std::int64_t batch = 0, heads = 0, groups = 0, steps = 0, size = 0, total = 0;
  KeyWindow seen;  // of each batch, seqlens_k + 1 steps are valid
};

/// Rotates the heads of [batch, steps, heads * size] by the angles of their positions, which follow the past by
/// default.
inline Tensor turned_behind_past(const KernelContext& ctx, const GroupQueries& in, Tensor x, std::int64_t heads) {
  Tensor positions(DType::i64, {in.batch, in.steps});
  const auto each = positions.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < each.size(); ++i)
    each[i] = in.seen.past[i / to_size(in.steps)] + to_int(i % to_size(in.steps));
  if (ctx.has_input(9)) positions = ctx.input(9);
  const DType dtype = x.dtype(), wide = computed_in(dtype);
  const Dims angles{in.batch, in.steps, ctx.input(7).dims().back()};
  const Tensor cosines = step_angles(ctx.input(7), &positions, angles, wide);
  const Tensor sines = step_angles(ctx.input(8), &positions, angles, wide);
  const bool interleaved = ctx.attr_or<std::int64_t>("rotary_interleaved", 0) != 0;
  const Heads shape{in.batch, heads, in.steps, in.size, true};
  return cast(turn(cast(std::move(x), wide), shape, interleaved, cosines, sines), dtype);
}

/// The past of each batch, the new steps, and zeros: [batch, groups, keys, size], or bytes of codes instead of size.
inline Tensor joined_with_past(const GroupQueries& in, const Tensor* before, const Tensor& fresh) {
  const std::int64_t width = fresh.dims()[3];
  if (before != nullptr && (before->rank() != 4 || before->dtype() != fresh.dtype() ||
                            before->dims() != Dims{in.batch, in.groups, before->dims()[2], width}))
    throw failure({"a past ", *before, " for ", fresh});
  const std::int64_t held = before == nullptr ? 0 : before->dims()[2], keys = std::max(held, in.total);
  Tensor present(fresh.dtype(), {in.batch, in.groups, keys, width});
  const std::size_t row = to_size(width) * element_size(fresh);
  std::byte* head = present.mutable_bytes().data();
  for (std::int64_t at = 0; at < in.batch * in.groups; ++at, head += to_size(keys) * row) {
    const std::int64_t past = in.seen.past[to_size(at / in.groups)];
    if (past < 0 || past > held || past + in.steps > keys)
      throw failure({"a past of ", held, " steps for lengths ", in.seen.ends});
    if (past > 0) std::copy_n(before->bytes().data() + to_size(at * held) * row, to_size(past) * row, head);
    std::copy_n(fresh.bytes().data() + to_size(at * in.steps) * row, to_size(in.steps) * row,
                head + to_size(past) * row);
  }
  return present;
}

/// How keys or values are stored; nullopt if they are floats. Only one type for both is computed, as in ONNX Runtime's
/// CPU kernel.
inline std::optional<CacheCodes> cache_codes(const KernelContext& ctx, const GroupQueries& in, std::size_t scales) {
  const std::string type = ctx.attr_or<std::string>("k_quant_type", "NONE");
  if (ctx.attr_or<std::string>("v_quant_type", "NONE") != type)
    throw Error("differs from k_quant_type").field("v_quant_type");
  const std::int64_t bits = ctx.attr_or<std::int64_t>("kv_cache_bit_width", 0);
  if (type == "NONE" && bits == 0) return std::nullopt;
  const std::int64_t count = type == "PER_CHANNEL" ? in.groups * in.size : 1;
  if (type != "PER_CHANNEL" && type != "PER_TENSOR")
    throw Error("'" + type + "' is not computed").field("k_quant_type");
  if (bits != 4 && bits != 8) throw failure({"a cache of ", bits, " bits"}).field("kv_cache_bit_width");
  const Tensor& given = ctx.input(scales);
  if (given.size() != count) throw failure({"scales ", given, " for ", count, " channels"});
  return CacheCodes{static_cast<int>(bits), given.to<float>()};
}

/// What attention reads of the past and the new steps, and what it stores of them.
struct Cached {
  Tensor read, present;
};

inline Cached cached(const GroupQueries& in, const Tensor* before, Tensor fresh,
                     const std::optional<CacheCodes>& codes) {
  if (!codes) {
    Tensor joined = joined_with_past(in, before, fresh);
    return {joined, joined};
  }
  const DType dtype = fresh.dtype();
  Tensor joined = joined_with_past(in, before, codes->encoded(cast(std::move(fresh), DType::f32)));
  return {cast(codes->decoded(joined, in.size), dtype), joined};
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Each head of key and value serves several of the query. A query sees no later keys.
inline void group_query_attention(KernelContext& ctx) {
  detail::refuse_input(ctx, 11, "head_sink");
  detail::refuse_attribute(ctx, "smooth_softmax");
  detail::refuse_attribute(ctx, "qk_output");
  detail::GroupQueries in;
  in.heads = detail::count_heads(ctx);
  in.groups = detail::count_heads(ctx, "kv_num_heads");
  Tensor q = ctx.take_input(0), k, v;
  if (q.rank() != 3) throw detail::failure({"a query ", q});
  if (ctx.has_input(1)) {
    k = ctx.take_input(1);
    v = ctx.take_input(2);
  } else {
    const std::int64_t size = q.dims()[2] / (in.heads + 2 * in.groups);
    k = detail::columns(q, in.heads * size, in.groups * size);
    v = detail::columns(q, (in.heads + in.groups) * size, in.groups * size);
    q = detail::columns(q, 0, in.heads * size);
  }
  in.batch = q.dims()[0];
  in.steps = q.dims()[1];
  in.size = q.dims()[2] / in.heads;
  const Dims each{in.batch, in.steps, in.groups * in.size};
  if (q.dims()[2] != in.heads * in.size || k.dims() != each || v.dims() != each)
    throw detail::failure({"keys ", k, " and values ", v, " for queries ", q});
  in.total = ctx.input(6).item<std::int64_t>();
  in.seen = {{}, ctx.input(5).to<std::int64_t>(), ctx.attr_or<std::int64_t>("local_window_size", -1)};
  if (detail::to_int(in.seen.ends.size()) != in.batch) throw detail::failure({in.seen.ends, " for batches of ", q});
  for (const std::int64_t last : in.seen.ends)
    if (last < -1) throw detail::failure({"a length of ", last, " + 1"}).field("seqlens_k");
  // If all steps are new, a padded batch has no past either.
  for (std::int64_t& end : in.seen.ends) in.seen.past.push_back(in.total == in.steps ? (++end, 0) : ++end - in.steps);
  if (ctx.attr_or<std::int64_t>("do_rotary", 0) != 0) {
    q = detail::turned_behind_past(ctx, in, std::move(q), in.heads);
    k = detail::turned_behind_past(ctx, in, std::move(k), in.groups);
  }
  detail::Cached keys = detail::cached(in, ctx.optional_input(3), detail::split_heads(k, in.groups),
                                       detail::cache_codes(ctx, in, 12));
  detail::Cached values = detail::cached(in, ctx.optional_input(4), detail::split_heads(v, in.groups),
                                         detail::cache_codes(ctx, in, 13));
  detail::DotProductAttention attend{detail::attention_scale(ctx, in.size),
                                     static_cast<double>(ctx.attr_or<float>("softcap", 0))};
  if (ctx.has_input(10)) attend.added.push_back(ctx.input(10));
  attend.window = in.seen;
  ctx.set_output(0, attend(detail::split_heads(q, in.heads), keys.read, values.read));
  ctx.set_output(1, std::move(keys.present));
  ctx.set_output(2, std::move(values.present));
}

inline void add_group_query_attention(Kernels& kernels) {
  kernels.add("com.microsoft::GroupQueryAttention", group_query_attention);
}

}  // namespace graft::inline v1::standard_kernels
