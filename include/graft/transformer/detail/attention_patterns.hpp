#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1::rules {

// Conditions of the patterns below.

inline bool is_over_keys(const Value& values, std::int64_t along) {
  const std::size_t rank = values.shape().rank();
  return (rank == 3 || rank == 4) && along + 1 == static_cast<std::int64_t>(rank);
}

/// Whether a Reshape of scores splits their heads. If it has the queries' batch, heads and steps, the number of keys
/// follows.
inline bool takes_heads_apart(const Node& raw, const Shape& apart) {
  if (detail::merges_heads(apart, raw.output(0)->shape())) return true;
  const detail::HeadView queries = detail::head_view(*raw.input(0), false);
  if (apart.rank() != 4 || raw.output(0)->shape().rank() != 3 || !queries.has_heads()) return false;
  for (const std::size_t each : {detail::HeadView::batch, detail::HeadView::heads, detail::HeadView::steps})
    if (!same_size(apart[each], queries.dim(each))) return false;
  return true;
}

/// Whether Reshapes around the mask split scores by heads and join them again, or there are none. If values are split,
/// too, the second Reshape may be missing.
inline Verdict splits_and_joins(const Node& raw, const Node* split, const Node* join, const Value& values) {
  if (split == nullptr && join == nullptr) return Verdict::yes();
  if (split == nullptr || (join == nullptr && values.shape().rank() != 4))
    return Verdict::no("scores are reshaped once");
  const Shape apart = split->output(0)->shape();
  const bool back =
      takes_heads_apart(raw, apart) && (join == nullptr || detail::merges_heads(apart, join->output(0)->shape()));
  return back ? Verdict::yes() : Verdict::no("scores are reshaped to other heads");
}

inline bool has_no_hidden_rows(const Value* tested, const Node& softmax, const Value* filling) {
  if (tested == nullptr) return true;
  if (tested != softmax.output(0) || tested->use_count() != 2 || tested->is_graph_output()) return false;
  return filling->constant() && filling->constant()->item<double>() == 0;
}

/// Whether the softmax of f16 or bf16 scores runs in f32, and nothing else is cast.
inline Verdict widens_and_narrows(const Node* before, const Node* behind, const Value& values) {
  if (before == nullptr && behind == nullptr) return Verdict::yes();
  const bool is_narrow = values.dtype() == DType::f16 || values.dtype() == DType::bf16;
  const bool both = is_narrow && before != nullptr && behind != nullptr &&
                    before->input(0)->dtype() == values.dtype() && before->output(0)->dtype() == DType::f32 &&
                    behind->output(0)->dtype() == values.dtype();
  return both ? Verdict::yes() : Verdict::no("scores or weights are cast to another type");
}

// Patterns of attention, from the product of queries and keys to the weights.

inline constexpr auto query_heads = val<"query_heads">;
inline constexpr auto key_heads = val<"key_heads">;
inline constexpr auto value_heads = val<"value_heads">;
inline constexpr auto score_bias = val<"score_bias">;
inline constexpr auto score_mask = val<"score_mask">;
inline constexpr auto shown = val<"shown">;
inline constexpr auto score_factor = cst<"score_factor">.scalar();
inline constexpr auto score_divisor = cst<"score_divisor">.scalar();
inline constexpr auto hidden_fill = cst<"hidden_fill">.scalar();
inline constexpr auto fill_hidden = cst<"fill_hidden">.scalar();

inline constexpr auto products = node<"products">;
inline constexpr auto raw_scores = op<"MatMul">(query_heads, key_heads).as(products);
inline constexpr auto scaled_scores =
    either(comm<"Mul">(raw_scores, score_factor), op<"Div">(raw_scores, score_divisor), raw_scores);
inline constexpr auto split_scores = node<"split_scores">;
inline constexpr auto joined_again = node<"joined_again">;
inline constexpr auto any_scores =
    either(op<"Reshape">(scaled_scores, any).with(opt(any_allowzero)).as(split_scores), scaled_scores);

/// The scores with a mask.
constexpr auto masked(const pattern auto& given) {
  return either(comm<"Add">(given, score_mask), op<"Where">(shown, given, hidden_fill),
                op<"Where">(shown, fill_hidden, given), given);
}
inline constexpr auto masked_scores = masked(any_scores);
inline constexpr auto joined_scores =
    either(op<"Reshape">(masked_scores, any).with(opt(any_allowzero.named<"outer_allowzero">())).as(joined_again),
           masked_scores);

/// The softmax of a shorter dtype may run in f32.
inline constexpr auto softmax_widened = node<"softmax_widened">;
inline constexpr auto softmax_narrowed = node<"softmax_narrowed">;
inline constexpr auto wide_scores =
    either(op<"Cast">(joined_scores).with(any_attributes).as(softmax_widened), joined_scores);
inline constexpr auto probabilities = node<"probabilities">;
/// Rows with all keys hidden, whose softmax is NaN, are 0.
inline constexpr auto unguarded = val<"unguarded">;
inline constexpr auto of_hidden_rows = cst<"of_hidden_rows">.scalar();
constexpr auto guarded_softmax(const pattern auto& given) {
  const auto softmax = op<"Softmax">(given).with(axis).as(probabilities);
  return either(op<"Where">(op<"IsNaN">(unguarded).with(any_attributes), of_hidden_rows, softmax.shared()), softmax);
}
inline constexpr auto guarded_weights = guarded_softmax(wide_scores);
inline constexpr auto attention_weights =
    either(op<"Cast">(guarded_weights).with(any_attributes).as(softmax_narrowed), guarded_weights);

inline constexpr auto over_keys = predicate<is_over_keys>("the softmax is not over keys")(value_heads, axis);
inline constexpr auto guards_hidden_rows = predicate<has_no_hidden_rows>("the weights of hidden rows are not set to 0")(
    unguarded, probabilities, of_hidden_rows);

}  // namespace graft::inline v1::rules
