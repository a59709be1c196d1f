#pragma once
#include <graft/transformer/fuse/attention.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
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
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/fuse/batched_transpose.hpp>
#include <graft/transformer/fuse/masked_windows.hpp>
#include <graft/transformer/fuse/stacked_projections.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1 {

namespace detail {

/// What Where adds to scores where it does not keep them; nullopt if they would be seen through it.
inline std::optional<Tensor> hiding(const Value* fill) {
  const auto number = fill == nullptr ? std::nullopt : fill->constant();
  if (!number || number->size() != 1 || !absorbs_scores(number->item<double>(), number->dtype())) return std::nullopt;
  return number;
}

/// What such a node makes, in front of the root and in its scope; nullptr if there is none.
inline Value* made_already(std::string_view op, std::initializer_list<const Value*> inputs, const Node& root) {
  for (Node& user : (*inputs.begin())->users()) {
    bool same = user.is(op) && &user.graph() == &root.graph() && user.before(root);
    std::size_t i = 0;
    for (const Value* const input : inputs) same = same && user.input(i++) == input;
    if (same && user.input_count() == inputs.size()) return user.output(0);
  }
  return nullptr;
}

/// What is added to scores: the sum of their biases, and of their mask. Several attentions share it, where they add the
/// same.
class ScoreAddend {
 public:
  ScoreAddend(Rewriter& rewriter, const Node& root, DType dtype) : rewriter_(rewriter), root_(root), dtype_(dtype) {}

  void add(Value* more) {
    if (more == nullptr) return;
    if (sum_ == nullptr) {
      sum_ = more;
      return;
    }
    may_overflow_ = dtype_ == DType::f16;
    Value* const made = made_already("Add", {sum_, more}, root_);
    sum_ = made != nullptr ? made : &rewriter_.op("Add", {sum_, more});
  }

  /// Hides the scores that a condition does not keep, or that it hides, with their biases. Adding -0 leaves the others
  /// as they are.
  void hide(Value& condition, const Tensor& low, bool keeps) {
    const bool is_biased = sum_ != nullptr;
    Value& others = is_biased ? *sum_
                              : rewriter_.constant(Tensor::of<float>(low.dtype(), {}, {-0.0F}), "nothing");
    Value& hidden = rewriter_.constant(low.reshaped({}), "hidden");
    Value *const first = keeps ? &others : &hidden, *const second = keeps ? &hidden : &others;
    sum_ = made_already("Where", {&condition, first, second}, root_);
    if (sum_ != nullptr) return;
    sum_ = &rewriter_.op("Where", {&condition, first, second});
    if (!is_biased) rewriter_.set_type(*sum_, tensor_type(low.dtype(), condition.shape()));
  }

  /// nullptr if nothing is added.
  Value* sum() const { return sum_; }
  /// Whether the sum may be infinite though the scores would not be.
  bool may_overflow() const { return may_overflow_; }

 private:
  Rewriter& rewriter_;
  const Node& root_;
  DType dtype_;
  Value* sum_ = nullptr;
  bool may_overflow_ = false;
};

/// The main domain's Attention as products; no if they are not covered.
inline Verdict read_standard_attention(Node& node, ScaledDotProduct& found) {
  const auto number = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0); };
  const auto is_used = [&](std::size_t i) { return i < node.output_count() && node.output(i)->is_used(); };
  if (is_used(3)) return Verdict::no("its scores are used");
  if (node.attr<float>("softcap").value_or(0) != 0) return Verdict::no("its scores are capped");
  if (number("softmax_precision") > 1) return Verdict::no("its softmax runs in another type");
  if (node.input(6) != nullptr) return Verdict::no("it is given lengths");
  for (const char* const side : {"left_window_size", "right_window_size"})
    if (node.attr<std::int64_t>(side).value_or(-1) >= 0) return Verdict::no("it has a window");
  found.mask = node.input(3);
  if (found.mask != nullptr && found.mask->dtype() != node.input(0)->dtype())
    return Verdict::no("its mask is no number to be added");
  if (vocabulary::may_have_short_mask(node, node.input(1)->shape()[HeadView::steps]))
    return Verdict::no("its mask may have fewer keys than there are");
  found.set_operands(*node.input(0), *node.input(1), false, *node.input(2));
  const Dim size = found.query.dim(HeadView::size);
  if (!size.known()) return Verdict::no("the size of its heads is not known");
  const auto given = node.attr<float>("scale");
  found.scale *= given ? static_cast<double>(*given) : 1 / std::sqrt(static_cast<double>(size.value()));
  found.set_result(node);
  found.causal = number("is_causal") != 0;
  if (node.input(4) == nullptr && node.input(5) == nullptr) {
    if (is_used(1) || is_used(2)) return Verdict::no("its keys or values are put out");
    const bool square = same_size(found.query.dim(HeadView::steps), found.key.dim(HeadView::steps));
    return square || !found.causal ? Verdict::yes() : Verdict::no("it is causal, with other keys than queries");
  }
  if (node.input(4) == nullptr || node.input(5) == nullptr || node.output_count() < 3)
    return Verdict::no("it has a past, and puts out no present");
  if (found.key.factor != 1 || found.value.factor != 1)
    return Verdict::no("keys or values are multiplied behind their past");
  found.keys_before = ScaledDotProduct::Cache{node.input(4), node.output(1), found.key};
  found.values_before = ScaledDotProduct::Cache{node.input(5), node.output(2), found.value};
  found.key = head_view(*node.output(1), false);
  found.value = head_view(*node.output(2), false);
  return Verdict::yes();
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto query_heads = val<"query_heads">;
inline constexpr auto key_heads = val<"key_heads">;
inline constexpr auto value_heads = val<"value_heads">;
inline constexpr auto merged_bias = val<"merged_bias">;
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

/// What is shown of scores.
constexpr auto masked(const pattern auto& given) {
  return either(comm<"Add">(given, score_mask), op<"Where">(shown, given, hidden_fill),
                op<"Where">(shown, fill_hidden, given), given);
}
inline constexpr auto masked_scores = masked(any_scores);
inline constexpr auto masked_biased_scores =
    masked(either(op<"Reshape">(comm<"Add">(scaled_scores, merged_bias), any)
                      .with(opt(any_allowzero))
                      .as(split_scores),
                  comm<"Add">(any_scores, score_bias)));
inline constexpr auto joined_scores =
    either(op<"Reshape">(masked_scores, any).with(opt(any_allowzero.named<"outer_allowzero">())).as(joined_again),
           masked_scores);

inline bool is_over_keys(const Value& values, std::int64_t along) {
  const std::size_t rank = values.shape().rank();
  return (rank == 3 || rank == 4) && along + 1 == static_cast<std::int64_t>(rank);
}

/// Whether a Reshape of scores takes their heads apart. Those of the queries' batch, heads and steps need no more: how
/// many keys there are follows.
inline bool takes_heads_apart(const Node& raw, const Shape& apart) {
  if (detail::merges_heads(apart, raw.output(0)->shape())) return true;
  const detail::HeadView queries = detail::head_view(*raw.input(0), false);
  if (apart.rank() != 4 || raw.output(0)->shape().rank() != 3 || !queries.has_heads()) return false;
  for (const std::size_t each : {detail::HeadView::batch, detail::HeadView::heads, detail::HeadView::steps})
    if (!same_size(apart[each], queries.dim(each))) return false;
  return true;
}

/// Whether Reshapes around the mask take scores apart by heads, and join them again unless values are apart, too; or
/// there are none.
inline Verdict splits_and_joins(const Node& raw, const Node* split, const Node* join, const Value& values) {
  if (split == nullptr && join == nullptr) return Verdict::yes();
  if (split == nullptr || (join == nullptr && values.shape().rank() != 4))
    return Verdict::no("scores are reshaped once");
  const Shape apart = split->output(0)->shape();
  const bool back = takes_heads_apart(raw, apart) &&
                    (join == nullptr || detail::merges_heads(apart, join->output(0)->shape()));
  return back ? Verdict::yes() : Verdict::no("scores are reshaped to others");
}

/// The dtype that a softmax of a shorter one runs in.
inline constexpr auto softmax_widened = node<"softmax_widened">;
inline constexpr auto softmax_narrowed = node<"softmax_narrowed">;
inline constexpr auto wide_scores =
    either(op<"Cast">(joined_scores).with(any_attributes).as(softmax_widened), joined_scores);
inline constexpr auto probabilities = node<"probabilities">;
/// Rows that hide all keys, whose softmax is no number, are 0.
inline constexpr auto unguarded = val<"unguarded">;
inline constexpr auto of_hidden_rows = cst<"of_hidden_rows">.scalar();
constexpr auto guarded_softmax(const pattern auto& given) {
  const auto softmax = op<"Softmax">(given).with(axis).as(probabilities);
  return either(op<"Where">(op<"IsNaN">(unguarded).with(any_attributes), of_hidden_rows, softmax.shared()), softmax);
}
inline constexpr auto guarded_weights = guarded_softmax(wide_scores);
inline constexpr auto attention_weights =
    either(op<"Cast">(guarded_weights).with(any_attributes).as(softmax_narrowed), guarded_weights);

/// The same where nothing joins them.
inline Verdict splits(const Node& raw, const Node* split, const Value& values) {
  return splits_and_joins(raw, split, nullptr, values);
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

template <class M>
Verdict put_found(const M& m, Rewriter& rewriter, Value* bias_before_split, Value* bias_of_any, bool is_wide) {
  detail::ScaledDotProduct found;
  if (m[score_factor] != nullptr) found.scale = m[score_factor]->constant()->template item<double>();
  if (m[score_divisor] != nullptr) found.scale = 1 / m[score_divisor]->constant()->template item<double>();
  found.set_operands(m[query_heads], m[key_heads], true, m[value_heads]);
  found.set_result(m[outer]);
  if (!found.query.has_heads()) return Verdict::no("batches and heads are not known apart");
  if (m[split_scores] != nullptr &&
      m[split_scores]->output(0)->shape()[1] != found.query.dim(detail::HeadView::heads))
    return Verdict::no("scores are split into other heads");
  const auto by_heads = [&](Value* over, bool is_merged) {
    return over == nullptr || !is_merged ? over : found.mask_by_heads(rewriter, *over, *m[products].output(0));
  };
  const bool are_merged = m[split_scores] == nullptr && m[value_heads].shape().rank() == 3;
  Value *const given = m[score_mask] != nullptr ? m[score_mask] : m[shown], *const mask = by_heads(given, are_merged);
  Value *const first = by_heads(bias_before_split, true), *const second = by_heads(bias_of_any, are_merged);
  if ((mask == nullptr) != (given == nullptr) || (first == nullptr) != (bias_before_split == nullptr) ||
      (second == nullptr) != (bias_of_any == nullptr))
    return Verdict::no("the mask may be of other batches and heads");
  detail::ScoreAddend addends(rewriter, m[outer], m[value_heads].dtype());
  addends.add(first);
  addends.add(second);
  if (m[shown] != nullptr) {
    const bool keeps = m[hidden_fill] != nullptr;
    const auto low = detail::hiding(keeps ? m[hidden_fill] : m[fill_hidden]);
    if (!low) return Verdict::no("what is hidden is not low enough to be added");
    addends.hide(*mask, *low, keeps);
  } else {
    addends.add(mask);
  }
  if (addends.may_overflow()) return Verdict::no("the sum of its biases and mask may be infinite in f16");
  found.mask = addends.sum();
  found.hidden_rows_are_zero = m[unguarded] != nullptr;
  found.wide_softmax = is_wide;
  return detail::put_attention(found, rewriter, false);
}

inline constexpr auto over_keys = predicate<is_over_keys>("the softmax is not over keys")(value_heads, axis);
inline constexpr auto guards_hidden_rows =
    predicate<has_no_hidden_rows>("the weights are chosen in another way")(unguarded, probabilities, of_hidden_rows);

inline constexpr auto attention = rule<"attention">(
    op<"MatMul">(attention_weights, value_heads).as(outer),
    where(over_keys, predicate<splits_and_joins>("")(products, split_scores, joined_again, value_heads),
          guards_hidden_rows, predicate<widens_and_narrows>("")(softmax_widened, softmax_narrowed, value_heads)),
    [](const auto& m, Rewriter& rewriter) {
      return put_found(m, rewriter, nullptr, nullptr, m[softmax_widened] != nullptr);
    });

// One pattern for both would take clang more steps than it takes by default.
inline constexpr auto biased_attention = rule<"biased-attention">(
    op<"MatMul">(guarded_softmax(masked_biased_scores), value_heads).as(outer),
    where(over_keys, predicate<splits>("")(products, split_scores, value_heads), guards_hidden_rows),
    [](const auto& m, Rewriter& rewriter) {
      return put_found(m, rewriter, m[merged_bias], m[score_bias], false);
    });

inline constexpr auto standard_attention = rule<"standard-attention">(
    op<"Attention">(query_heads.rank(4), key_heads.rank(4), value_heads.rank(4), rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      detail::ScaledDotProduct found;
      if (Verdict known = detail::read_standard_attention(m[outer], found); !known) return known;
      return detail::put_attention(found, rewriter, true);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView attention = vocabulary::attention.view();

GRAFT_INLINE constinit const RuleView biased_attention = vocabulary::biased_attention.view();

GRAFT_INLINE constinit const RuleView standard_attention = vocabulary::standard_attention.view();

GRAFT_INLINE Pass fuse_attention(const FusedOperators& runtime) {
  const Pass rules = fixpoint(batched_transpose, stacked_projections, masked_windows) |
                     sweep(attention, biased_attention, standard_attention);
  return on_typed_graph("fuse_attention", pass("fuse_attention", rules, vocabulary::fused_for = runtime));
}

}  // namespace graft::inline v1
