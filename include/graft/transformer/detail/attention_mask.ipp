#pragma once
#include <graft/transformer/detail/attention_mask.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/transformer/detail/extents.hpp>

namespace graft::inline v1::detail {

/// Whether the first number is the second less an extent, that is, the difference of inputs of reshaping operators.
inline bool is_before_by(const Value& first, const Value& second, const Dim& extent, KnownContents& known) {
  const Node* const difference = made_by(*behind_reshaping(&first), "Sub", 2);
  if (difference == nullptr || !same_value(element(difference->input(1), known), Integer(extent))) return false;
  const Value* const from = behind_reshaping(difference->input(0));
  return from == behind_reshaping(&second) || same_value(element(from, known), element(&second, known));
}

/// Whether a Slice of one axis takes at most `most` elements: [n : n + most], or [n - most : n].
inline bool takes_at_most(const Node& slice, std::size_t axis, const Dim& most, KnownContents& known) {
  if (slice.input_count() < 3) return false;
  const Value *const axes = slice.input_count() > 3 ? slice.input(3) : nullptr, *const steps = slice.input_count() > 4
                                                                                                   ? slice.input(4)
                                                                                                   : nullptr;
  const Integer along = axes == nullptr ? Integer(0) : element(axes, known);
  const auto rank = static_cast<std::int64_t>(slice.output(0)->shape().rank());
  const auto wanted = static_cast<std::int64_t>(axis);
  if (!along.is(wanted) && !along.is(wanted - rank)) return false;
  if (steps != nullptr && !element(steps, known).is(1)) return false;
  const Value &first = *slice.input(1), &last = *slice.input(2);
  if (same_value(known.difference(element(&last, known), element(&first, known)), Integer(most))) return true;
  return is_before_by(first, last, most, known);
}

/// Whether an extent, counted from the back, is known to be at most another, or 1.
inline bool is_at_most(const Value& value, std::size_t from_back, const Dim& most, KnownContents& known, int depth) {
  const Shape shape = value.shape();
  if (!shape.known() || depth == 0) return false;
  if (shape.rank() < from_back) return true;
  const std::size_t axis = shape.rank() - from_back;
  if (shape[axis] == Dim(1) || same_size(shape[axis], most)) return true;
  const Node* const node = value.producer();
  if (shape[axis].known() || node == nullptr) return false;
  if (node->is("Slice")) {
    if (takes_at_most(*node, axis, most, known)) return true;
  } else if (!node->is("Where") && !node->is("Add") && !node->is("Not") && !node->is("Cast")) {
    return false;
  }
  const std::size_t count = node->is("Slice") ? 1 : node->input_count();
  for (std::size_t i = 0; i < count; ++i)
    if (!is_at_most(*node->input(i), from_back, most, known, depth - 1)) return false;
  return true;
}

GRAFT_INLINE Verdict fits_scores(const Value& mask, const ScoreExtents& scores, KnownContents& known) {
  const Shape shape = mask.shape();
  if (!shape.known() || shape.rank() > 4) return Verdict::no("the mask is not known to have rank 4 or less");
  const std::array wanted{scores.batch, scores.heads, scores.steps};
  for (std::size_t axis = 0; axis + 1 < shape.rank(); ++axis) {
    if (axis + 4 == shape.rank() && !scores.may_be_one) continue;
    constexpr int depth = 8;  // sums and slices of masks are no deeper
    if (!is_at_most(mask, shape.rank() - axis, wanted[axis + 4 - shape.rank()], known, depth))
      return Verdict::no("the mask may have more elements than the scores");
  }
  return Verdict::yes();
}

GRAFT_INLINE bool has_rows_and_keys(const Value& mask, const ScoreExtents& scores) {
  const Shape shape = mask.shape();
  return shape.rank() == 4 && same_size(shape[2], scores.steps) && same_size(shape[3], scores.keys);
}

GRAFT_INLINE Value* expanded_mask(Rewriter& rewriter, const Value& mask, const ScoreExtents& scores, const Node& root) {
  const std::array wanted{Integer(1), Integer(1), Integer(scores.steps), Integer(scores.keys)};
  for (Node& user : mask.users()) {
    if (!user.is("Expand") || &user.graph() != &root.graph() || !user.before(root)) continue;
    const Contents* const target = rewriter.known_contents().contents(*user.input(1));
    if (target == nullptr || target->elements.size() != wanted.size()) continue;
    if (std::equal(wanted.begin(), wanted.end(), target->elements.begin(), same_value)) return user.output(0);
  }
  return nullptr;
}

inline bool is_constant_causal(const Tensor& mask, const Dim& past, const Dim& steps, const Dim& keys) {
  if (!past.known() || !steps.known() || !keys.known() || mask.rank() < 2) return false;
  const std::size_t rank = mask.rank();
  if (mask.dims()[rank - 2] != steps.value() || mask.dims()[rank - 1] != keys.value() ||
      mask.size() != steps.value() * keys.value())
    return false;
  const std::vector<double> added = mask.to<double>();
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    const bool behind = i % keys.value() > past.value() + i / keys.value();
    const double each = added[static_cast<std::size_t>(i)];
    if (behind ? !hides_scores(each) : each != 0) return false;
  }
  return true;
}

inline bool is_integer(Rewriter& rewriter, const Value* value, const Integer& wanted) {
  return same_value(element(value, rewriter.known_contents()), wanted);
}

/// Whether the elements are first, first + 1 ..., `count` of them: a Range, or known contents.
inline bool counts_from(Rewriter& rewriter, const Value& value, const Dim& first, const Dim& count) {
  const Node* const node = value.producer();
  const bool is_range = node != nullptr && node->is("Range") && value.shape().rank() == 1 &&
                        same_size(value.shape()[0], count) && is_integer(rewriter, node->input(0), Integer(first)) &&
                        is_integer(rewriter, node->input(2), Integer(1));
  if (is_range) return true;
  const auto known = first.known() && count.known() ? rewriter.known_contents().ints(value) : std::nullopt;
  if (!known || static_cast<std::int64_t>(known->size()) != count.value()) return false;
  for (std::int64_t i = 0; i < count.value(); ++i)
    if ((*known)[static_cast<std::size_t>(i)] != first.value() + i) return false;
  return true;
}

/// The same, or an addend `first` to a count from 0.
inline bool counts(Rewriter& rewriter, const Value& value, const Dim& first, const Dim& count) {
  const Value& counted = *behind_reshaping(&value);
  if (counts_from(rewriter, counted, first, count)) return true;
  const Node* const node = made_by(counted, "Add", 2);
  if (node == nullptr) return false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (is_integer(rewriter, node->input(1 - i), Integer(first)) &&
        counts_from(rewriter, *behind_reshaping(node->input(i)), Dim(0), count))
      return true;
  }
  return false;
}

/// For a comparison [..., steps, keys] of keys, counted from 0, and queries, counted from `past`: true if it holds
/// exactly for keys that are not after the query, false if it holds exactly for the others; nullopt for other nodes.
inline std::optional<bool> compares_with_queries(Rewriter& rewriter, const Node& compared, const Dim& past) {
  const bool less = compared.is("LessOrEqual") || compared.is("Greater");
  if (!less && !compared.is("GreaterOrEqual") && !compared.is("Less")) return std::nullopt;
  if (compared.input(0) == nullptr || compared.input(1) == nullptr) return std::nullopt;
  const Value &columns = *compared.input(less ? 0 : 1), &rows = *compared.input(less ? 1 : 0);
  const Shape result = compared.output(0)->shape(), across = columns.shape(), along = rows.shape();
  const std::size_t rank = result.rank();
  if (rank < 2 || along.rank() < 2 || along[along.rank() - 1] != Dim(1) || across.rank() < 1) return std::nullopt;
  const Dim keys = result[rank - 1], steps = result[rank - 2];
  if (!same_size(across[across.rank() - 1], keys) || !same_size(along[along.rank() - 2], steps)) return std::nullopt;
  if (!counts(rewriter, columns, Dim(0), keys) || !counts(rewriter, rows, past, steps)) return std::nullopt;
  return compared.is("LessOrEqual") || compared.is("GreaterOrEqual");
}

/// Whether both are of rank 2 or more, and have equal last two extents.
inline bool have_same_rows(const Value& one, const Value& other) {
  const Shape a = one.shape(), b = other.shape();
  return a.rank() > 1 && b.rank() > 1 && same_size(a[a.rank() - 2], b[b.rank() - 2]) &&
         same_size(a[a.rank() - 1], b[b.rank() - 1]);
}

/// Whether a Slice of the last axis begins with its first element.
inline bool takes_first_keys(const Node& slice, KnownContents& known) {
  const auto rank = static_cast<std::int64_t>(slice.output(0)->shape().rank());
  const Integer axis = element(slice.input(3), known);
  const bool is_last = rank > 1 && (axis.is(rank - 1) || axis.is(-1));
  return is_last && element(slice.input(1), known).is(0) &&
         (slice.input(4) == nullptr || element(slice.input(4), known).is(1));
}

/// The input of an operator that keeps rows and keys in their places; nullptr for others.
inline const Value* behind_same_rows(Rewriter& rewriter, const Node& node) {
  if (node.input_count() == 0 || node.input(0) == nullptr) return nullptr;
  const Value& from = *node.input(0);
  if (node.is("Slice") && takes_first_keys(node, rewriter.known_contents())) return &from;
  const bool moves = node.is("Expand") || node.is("Identity") || reshapes_elements(node);
  return moves && have_same_rows(*node.output(0), from) ? &from : nullptr;
}

constexpr int mask_depth = 16;  // no mask is deeper

/// Whether a condition has this value for all keys after each query.
inline bool is_for_later_keys(Rewriter& rewriter, const Value& condition, bool wanted, const Dim& past, int depth) {
  const Node* const node = condition.producer();
  if (node == nullptr || depth == 0) return false;
  const auto is_of = [&](std::size_t i, bool value) {
    const Value* const part = node->input(i);
    return part != nullptr && have_same_rows(condition, *part) &&
           is_for_later_keys(rewriter, *part, value, past, depth - 1);
  };
  if (node->is("Not")) return is_of(0, !wanted);
  if (node->is("And") || node->is("Or")) {
    const bool one_decides = node->is("Or") == wanted;
    return one_decides ? is_of(0, wanted) || is_of(1, wanted) : is_of(0, wanted) && is_of(1, wanted);
  }
  if (const Value* const same = behind_same_rows(rewriter, *node))
    return is_for_later_keys(rewriter, *same, wanted, past, depth - 1);
  const auto holds_before = compares_with_queries(rewriter, *node, past);
  return holds_before && *holds_before != wanted;
}

/// Whether all elements are one number that hides scores.
inline bool hides_all(const Value& value) {
  const Node* const node = value.producer();
  const bool fills = node != nullptr && node->is("ConstantOfShape");
  const bool expands = node != nullptr && node->is("Expand");
  const std::optional<Tensor> number = fills     ? node->attr<Tensor>("value")
                                       : expands ? node->input(0)->constant()
                                                 : value.constant();
  return number && number->size() == 1 && hides_scores(number->item<double>());
}

/// Whether a Trilu keeps the elements above the main diagonal, which all keys after a query are.
inline bool keeps_upper(const Node& node, KnownContents& known) {
  if (!node.is("Trilu") || node.attr<std::int64_t>("upper").value_or(1) != 1) return false;
  const Integer first = node.input(1) == nullptr ? Integer(0) : element(node.input(1), known);
  return first.is(0) || first.is(1);
}

/// Whether a number is 1 for all keys after each query: a condition as a number.
inline bool is_one_for_later_keys(Rewriter& rewriter, const Value& factor, const Dim& past) {
  const Node* const cast = factor.producer();
  return cast != nullptr && cast->is("Cast") && cast->input(0)->dtype() == DType::boolean &&
         is_for_later_keys(rewriter, *cast->input(0), true, past, mask_depth);
}

/// Whether a mask hides all keys after each query.
inline bool hides_later(Rewriter& rewriter, const Value& mask, const Dim& past, int depth) {
  const Node* const node = mask.producer();
  if (hides_all(mask)) return true;
  if (node == nullptr || depth == 0) return false;
  if (const Value* const same = behind_same_rows(rewriter, *node))
    return hides_later(rewriter, *same, past, depth - 1);
  if (keeps_upper(*node, rewriter.known_contents())) return hides_later(rewriter, *node->input(0), past, depth - 1);
  if (node->is("Mul") && node->input_count() == 2) {
    const auto hides_beside = [&](const Value& hidden, const Value& factor) {
      return have_same_rows(mask, hidden) && have_same_rows(mask, factor) &&
             hides_later(rewriter, hidden, past, depth - 1) && is_one_for_later_keys(rewriter, factor, past);
    };
    return hides_beside(*node->input(0), *node->input(1)) || hides_beside(*node->input(1), *node->input(0));
  }
  if (!node->is("Where") || node->input_count() != 3) return false;
  const auto hides_by = [&](std::size_t branch) {
    const Value& chosen = *node->input(branch);
    return hides_all(chosen) || (have_same_rows(mask, chosen) && hides_later(rewriter, chosen, past, depth - 1));
  };
  const auto is_never = [&](bool value) {
    return have_same_rows(mask, *node->input(0)) &&
           is_for_later_keys(rewriter, *node->input(0), !value, past, mask_depth);
  };
  return (hides_by(1) || is_never(true)) && (hides_by(2) || is_never(false));
}

GRAFT_INLINE bool hides_later_keys(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps,
                                   const Dim& keys) {
  const Shape shape = mask.shape();
  if (shape.rank() < 2 || !same_size(shape[shape.rank() - 2], steps)) return false;
  const Node* const slice = mask.producer();
  // A mask of fewer columns than keys is an error, or of one: models that generate have none.
  const bool is_cut = slice != nullptr && slice->is("Slice") &&
                      takes_at_most(*slice, shape.rank() - 1, keys, rewriter.known_contents());
  if (!is_cut && !same_size(shape[shape.rank() - 1], keys)) return false;
  return hides_later(rewriter, mask, past, mask_depth);
}

GRAFT_INLINE bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps,
                                 const Dim& keys) {
  if (const auto constant = mask.constant()) return is_constant_causal(*constant, past, steps, keys);
  const Node* const chosen = made_by(*behind_reshaping(&mask), "Where", 3);
  if (chosen == nullptr) return false;
  const Node* compared = behind_reshaping(chosen->input(0))->producer();
  const bool negates = compared != nullptr && compared->is("Not") && compared->input(0) != nullptr;
  if (negates) compared = compared->input(0)->producer();
  const auto holds_before = compared == nullptr ? std::nullopt : compares_with_queries(rewriter, *compared, past);
  if (!holds_before) return false;
  const Shape result = compared->output(0)->shape();
  const std::size_t rank = result.rank();
  if (!same_size(result[rank - 2], steps) || !same_size(result[rank - 1], keys)) return false;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis)
    if (result[axis] != Dim(1)) return false;
  const bool keeps = *holds_before != negates;
  const auto shown = chosen->input(keeps ? 1 : 2)->constant(), hidden = chosen->input(keeps ? 2 : 1)->constant();
  if (!shown || !hidden || shown->size() != 1 || hidden->size() != 1) return false;
  return shown->item<double>() == 0 && hides_scores(hidden->item<double>());
}

}  // namespace graft::inline v1::detail
