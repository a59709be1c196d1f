#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <graft/evaluate/concatenated.hpp>
#include <graft/evaluate/kernels/activation.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/kernels/pad.hpp>
#include <graft/evaluate/kernels/softmax.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// [batch, steps, heads * head] as [batch, heads, steps, head].
inline Tensor split_heads(const Tensor& x, std::int64_t heads) {
  if (x.rank() == 4) return x;
  if (x.rank() != 3 || heads < 1 || x.dims()[2] % heads != 0) throw failure({"no ", heads, " heads of ", x});
  return permuted(x.reshaped({x.dims()[0], x.dims()[1], heads, x.dims()[2] / heads}), {0, 2, 1, 3});
}

/// The mask as an addend of the scores: 0 if a bool mask is true; -infinity if it is false and, if the mask is padded,
/// beyond its end.
inline Tensor attention_bias(Tensor mask, DType dtype, std::int64_t length, bool is_padded) {
  constexpr double hidden = -std::numeric_limits<double>::infinity();
  if (mask.dtype() == DType::boolean) {
    std::vector<double> bias;
    for (const bool attended : mask.data<bool>()) bias.push_back(attended ? 0 : hidden);
    mask = Tensor::of(dtype, mask.dims(), bias);
  }
  if (!is_padded || mask.rank() == 0 || mask.dims().back() >= length) return mask;
  Ints more(mask.rank(), 0);
  more.back() = length - mask.dims().back();
  return pad_constant(mask, Ints(mask.rank(), 0), more, Tensor::of(dtype, {}, {hidden}));
}

/// f(row, i) for each row of keys of scores [batch, heads, queries, keys], in float, or in double for f64.
template <class F>
Tensor map_score_rows(Tensor scores, const F& f) {
  const Dims dims = scores.dims();
  const DType dtype = scores.dtype();
  scores = cast(std::move(scores), computed_in(dtype));
  visit<float, double>(scores.dtype(), [&]<class T>() {
    const auto values = scores.mutable_data<T>();
    for (std::int64_t i = 0; i < dims[0] * dims[1] * dims[2]; ++i)
      f(values.subspan(to_size(i * dims[3]), to_size(dims[3])), i);
  });
  return cast(std::move(scores), dtype);
}

/// The keys that a query may see, by position. The first query follows `past` keys; if ends are given, the last query
/// is at the last key of its batch.
struct VisibleKeys {
  std::int64_t past = 0;
  Ints ends;                           // of each batch; empty: all keys count
  std::int64_t left = -1, right = -1;  // number of keys before and behind the query's position; -1: all

  Tensor operator()(Tensor scores) const {
    const Dims dims = scores.dims();
    return map_score_rows(std::move(scores), [&](auto row, std::int64_t i) {
      constexpr auto hidden = -std::numeric_limits<float>::infinity();
      std::int64_t end = dims[3], at = past + i % dims[2];
      if (!ends.empty()) {
        end = std::clamp<std::int64_t>(ends[to_size(i / (dims[1] * dims[2]))], 0, end);
        at = end - dims[2] + i % dims[2];
      }
      if (right >= 0) end = std::clamp<std::int64_t>(at + right + 1, 0, end);
      const std::int64_t first = left >= 0 ? std::clamp<std::int64_t>(at - left, 0, end) : 0;
      std::fill(row.begin(), row.begin() + first, hidden);
      std::fill(row.begin() + end, row.end(), hidden);
    });
  }
};

/// The softmax of the scores. A query that sees no key gives all keys the weight 0.
inline Tensor attention_weights(Tensor scores) {
  const Dims dims = scores.dims();
  std::vector<bool> seeing(to_size(dims[0] * dims[1] * dims[2]));
  scores = map_score_rows(std::move(scores), [&](auto row, std::int64_t i) {
    const auto is_seen = [](auto score) { return !std::isinf(score) || score > 0; };
    seeing[to_size(i)] = std::any_of(row.begin(), row.end(), is_seen);
  });
  return map_score_rows(softmax(std::move(scores), AxisView(dims, 3)), [&](auto row, std::int64_t i) {
    if (!seeing[to_size(i)]) std::fill(row.begin(), row.end(), 0);
  });
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// softmax(q k^T scale + mask) v, ONNX Attention-25. Earlier versions follow the corrections of onnx 1.23: scores are
/// capped before they are masked, and a query that sees no key gives 0. Each head of k and v may serve several of q. If
/// the standard names a type for the softmax, it runs in that type. Since opset 24, a mask of fewer keys, even of one,
/// hides the others; before, it must broadcast.
///
/// ONNX Runtime's CPU kernel hides with the lowest number instead of -infinity, and treats that number in a mask of
/// floats as hidden too. For a query that sees no key, it averages all values up to release 1.27; since 1.28 it returns
/// 0.
inline void attention(KernelContext& ctx) {
  const auto wanted = ctx.attr<std::int64_t>("qk_matmul_output_mode");
  if (wanted < 0 || wanted > 3) throw detail::failure({"unknown value ", wanted}).field("qk_matmul_output_mode");
  const DType dtype = ctx.input(0).dtype();
  const bool flat = ctx.input(0).rank() == 3;
  const Tensor q = detail::split_heads(ctx.take_input(0), ctx.attr_or<std::int64_t>("q_num_heads", 0));
  std::array<Tensor, 2> present;
  std::int64_t past = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    present[i] = detail::split_heads(ctx.take_input(1 + i), ctx.attr_or<std::int64_t>("kv_num_heads", 0));
    if (ctx.has_input(4 + i)) {
      const std::array<Tensor, 2> parts{ctx.take_input(4 + i), present[i]};
      if (parts[0].rank() != 4) throw detail::failure({"a past of ", parts[0], " for ", parts[1]});
      past = parts[0].dims()[2];
      present[i] = concatenated(parts, 2);
    }
  }
  const auto& [k, v] = present;
  const std::int64_t batch = q.dims()[0], heads = q.dims()[1], queries = q.dims()[2];
  const std::int64_t groups = k.dims()[1], keys = k.dims()[2];
  if (k.dims()[0] != batch || v.dims()[0] != batch || v.dims()[1] != groups || v.dims()[2] != keys ||
      groups < 1 || heads % groups != 0) {
    throw detail::failure({"keys ", k, " and values ", v, " for queries ", q});
  }

  const double scale = ctx.attr_or<float>("scale", 1 / std::sqrt(static_cast<float>(q.dims()[3])));
  // The heads of q that share a head of k and v are rows of one product.
  const Dims grouped{batch, groups, heads / groups * queries, q.dims()[3]};
  const Tensor rows = detail::times(q, std::sqrt(scale)).reshaped(grouped);
  const Dims dims{batch, heads, queries, keys};
  Tensor scores = detail::multiply_any(rows, detail::times(k, std::sqrt(scale)), true).reshaped(dims);
  const auto reached = [&](std::int64_t stage) {
    if (stage == wanted && ctx.has_output(3)) ctx.set_output(3, scores);
  };
  reached(0);
  if (const double cap = ctx.attr<float>("softcap"); cap > 0)
    scores = detail::times(detail::map_floats(detail::times(std::move(scores), 1 / cap), detail::Tanh()), cap);
  reached(1);
  if (ctx.has_input(3)) {
    Tensor bias = detail::attention_bias(ctx.input(3), dtype, keys, ctx.opset() >= 24);
    scores = detail::arithmetic_onto<detail::Add>(std::move(scores), "mask", std::move(bias));
  }
  const auto window = [&](const char* side) {
    return std::min(ctx.attr_or<std::int64_t>(side, -1),
                    past + queries + keys);  // limited, so that sums do not overflow
  };
  detail::VisibleKeys visible{past, ctx.has_input(6) ? ctx.input(6).to<std::int64_t>() : Ints{},
                              window("left_window_size"), window("right_window_size")};
  if (!visible.ends.empty() && detail::to_int(visible.ends.size()) != batch)
    throw detail::failure({visible.ends.size(), " lengths for scores ", dims});
  if (ctx.attr<std::int64_t>("is_causal") != 0) visible.right = 0;
  scores = visible(std::move(scores));
  reached(2);
  const auto precision = static_cast<DType>(ctx.attr_or<std::int64_t>("softmax_precision", 0));
  if (precision != DType::undefined) scores = detail::cast(std::move(scores), precision);
  scores = detail::cast(detail::attention_weights(std::move(scores)), dtype);
  reached(3);

  Tensor y = detail::multiply_any(scores.reshaped({batch, groups, heads / groups * queries, keys}), v, false);
  y = y.reshaped({batch, heads, queries, v.dims()[3]});
  if (flat) y = permuted(y, {0, 2, 1, 3}).reshaped({batch, queries, heads * v.dims()[3]});
  ctx.set_output(0, std::move(y));
  for (std::size_t i = 0; i < 2; ++i) ctx.set_output(1 + i, present[i]);
}

inline void add_attention(Kernels& kernels) { kernels.add("Attention", attention); }

}  // namespace graft::inline v1::standard_kernels
