#pragma once
#include <graft/transformer/detail/head_view.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// The operand of a Mul or Div by a constant of one element, which multiplies `factor`; nullptr for other nodes.
inline Value* behind_factor(const Node& node, double& factor) {
  const bool divides = node.is("Div");
  if (!divides && !node.is("Mul")) return nullptr;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
    Value *const constant = node.input(i), *const other = node.input(1 - i);
    if (constant == nullptr || other == nullptr || (divides && i == 0) || !constant->is_constant()) continue;
    const auto number = constant->constant();
    if (!number || number->size() != 1 || !other->shape().known() || number->rank() > other->shape().rank()) continue;
    factor = divides ? factor / number->item<double>() : factor * number->item<double>();
    return other;
  }
  return nullptr;
}

/// The input of a Reshape to [batch, steps, heads, size], if it is [batch, steps, heads * size]; else nullptr.
inline Value* flat_source(const Value& source) {
  const Node* const node = made_by(source, "Reshape");
  if (node == nullptr) return nullptr;
  const Shape whole = node->input(0)->shape(), split = source.shape();
  if (!whole.known() || whole.rank() != 3 || !split[2].known() || !split[3].known() || !whole[2].known())
    return nullptr;
  if (whole[2].value() != split[2].value() * split[3].value()) return nullptr;
  const auto target = node->input(1) == nullptr ? std::nullopt : known_ints(*node->input(1));
  const bool keeps_zeros = node->attr<std::int64_t>("allowzero").value_or(0) == 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const bool copied = keeps_zeros && target && target->size() == 4 && (*target)[axis] == 0;
    if (!copied && !same_size(whole[axis], split[axis])) return nullptr;
  }
  return node->input(0);
}

/// The perm of a Transpose of this rank; nullopt if it is not a permutation.
inline std::optional<Ints> transposed_axes(const Node& transpose, std::size_t rank) {
  Ints all(rank);
  std::iota(all.begin(), all.end(), 0);
  Ints axes = transpose.attr<Ints>("perm").value_or(Ints(all.rbegin(), all.rend()));
  const bool fits = transpose.input(0)->shape().rank() == rank &&
                    std::is_permutation(axes.begin(), axes.end(), all.begin(), all.end());
  return fits ? std::optional(std::move(axes)) : std::nullopt;
}

/// Skips constant factors.
inline Value* pass_factors(Value* value, double& factor) {
  for (const Node* node = value->producer(); node != nullptr; node = value->producer()) {
    Value* const other = behind_factor(*node, factor);
    if (other == nullptr) break;
    value = other;
  }
  return value;
}

/// Skips factors and Transposes.
inline void pass_transposes(HeadView& view) {
  const std::size_t rank = view.perm.size();
  for (;;) {
    view.source = pass_factors(view.source, view.factor);
    const Node* const node = made_by(*view.source, "Transpose");
    const auto outer = node == nullptr ? std::nullopt : transposed_axes(*node, rank);
    if (!outer) break;
    for (std::int64_t& axis : view.perm) axis = (*outer)[static_cast<std::size_t>(axis)];
    view.source = node->input(0);
  }
}

GRAFT_INLINE bool merges_heads(const Shape& apart, const Shape& merged) {
  // The number of matrices follows from the number of elements.
  return apart.rank() == 4 && merged.rank() == 3 && same_size(apart[2], merged[1]) && same_size(apart[3], merged[2]);
}

/// For a view of rank 3, [batch * heads, steps, size]: the view before the Reshape that merged batches and heads.
inline std::optional<HeadView> split_batch(HeadView view) {
  const Node* const node = made_by(*view.source, "Reshape");
  if (view.perm.size() != 3 || node == nullptr) return std::nullopt;
  Value& whole = *node->input(0);
  const Shape apart = whole.shape(), merged = view.source->shape();
  if (view.perm[0] == 0 && merges_heads(apart, merged)) {
    view.source = &whole;
    view.perm = {0, 1, view.perm[1] + 1, view.perm[2] + 1};
    pass_transposes(view);
    view.shape = view.source->shape();
    return view;
  }
  // [steps, batch, heads * size] as [steps, batch * heads, size]
  if (view.perm != Ints{1, 0, 2} || apart.rank() != 3 || merged.rank() != 3 || !same_size(apart[0], merged[0]))
    return std::nullopt;
  if (!apart[2].known() || !merged[2].known() || merged[2].value() < 1 || apart[2].value() % merged[2].value() != 0)
    return std::nullopt;
  const std::int64_t size = merged[2].value(), heads = apart[2].value() / size;
  view.source = nullptr;
  view.flat = pass_factors(&whole, view.factor);
  view.shape = Shape({apart[0], apart[1], Dim(heads), Dim(size)});
  view.steps_first = true;
  view.perm = {1, 2, 0, 3};
  return view;
}

/// For a view of rank 4, with batches and heads split by a Reshape: the view before the Reshape that merged them.
inline std::optional<HeadView> rejoined_batch(const HeadView& view) {
  const Node* const node = made_by(*view.source, "Reshape");
  if (node == nullptr || view.perm[0] != 0 || view.perm[1] != 1) return std::nullopt;
  if (!merges_heads(view.source->shape(), node->input(0)->shape())) return std::nullopt;
  HeadView merged = view;
  merged.source = node->input(0);
  merged.perm = {0, view.perm[2] - 1, view.perm[3] - 1};
  pass_transposes(merged);
  auto apart = split_batch(merged);
  const bool same =
      apart && apart->dim(HeadView::heads).known() && apart->dim(HeadView::heads) == view.dim(HeadView::heads);
  return same ? apart : std::nullopt;
}

GRAFT_INLINE HeadView head_view(Value& operand, bool exchanged) {
  HeadView view;
  view.source = &operand;
  if (operand.shape().rank() == 3) view.perm = {0, 1, 2};
  if (exchanged) std::swap(view.perm[view.perm.size() - 2], view.perm.back());
  pass_transposes(view);
  view.shape = view.source->shape();
  if (auto apart = view.perm.size() == 3 ? split_batch(view) : rejoined_batch(view)) view = std::move(*apart);
  if (view.source == nullptr || !view.has_heads()) return view;
  view.steps_first = view.perm == Ints{1, 2, 0, 3};
  if (view.perm == Ints{0, 2, 1, 3} || view.steps_first) view.flat = flat_source(*view.source);
  if (view.flat == nullptr) return view;
  Value* const plain = pass_factors(view.flat, view.factor);
  if (plain != view.flat) view.source = nullptr;  // the source includes the factor
  view.flat = plain;
  return view;
}

GRAFT_INLINE Value& with_first_axes_exchanged(Rewriter& rewriter, Value& x) {
  const Node* const node = x.producer();
  if (node != nullptr && node->is("Transpose") && node->attr<Ints>("perm") == Ints{1, 0, 2}) return *node->input(0);
  const Shape shape = x.shape();
  Value& exchanged = rewriter.op("Transpose", {&x}, {{"perm", {1, 0, 2}}});
  rewriter.set_type(exchanged, tensor_type(x.dtype(), Shape({shape[1], shape[0], shape[2]})));
  return exchanged;
}

GRAFT_INLINE Value& extent(Rewriter& rewriter, Value& x, std::size_t axis) {
  const auto number = [&](std::int64_t value) -> Value& {
    return rewriter.constant(Tensor::of<std::int64_t>({1}, {value}), "extent");
  };
  if (const Dim dim = x.shape()[axis]; dim.known()) return number(dim.value());
  Value& dims = rewriter.op("Shape", {&x});
  return rewriter.op("Gather", {&dims, &number(static_cast<std::int64_t>(axis))}, {{"axis", 0}});
}

GRAFT_INLINE Value& HeadView::extent(Rewriter& rewriter, std::size_t axis) const {
  if (flat != nullptr && !dim(axis).known() && axis != heads && axis != size)
    return detail::extent(rewriter, *flat, (axis == batch) != steps_first ? 0 : 1);
  if (const Dim known = dim(axis); known.known())
    return rewriter.constant(Tensor::of<std::int64_t>({1}, {known.value()}), "extent");
  return detail::extent(rewriter, *source, static_cast<std::size_t>(perm[axis]));
}

/// The source with its axes in the order of `order`, which counts axes of the operand.
inline Value& in_order(Rewriter& rewriter, const HeadView& view, const Ints& order) {
  Ints axes;
  for (const std::int64_t axis : order) axes.push_back(view.perm[static_cast<std::size_t>(axis)]);
  const auto apart = [&]() -> Value& {
    const Ints target{0, 0, view.dim(HeadView::heads).value(), view.dim(HeadView::size).value()};
    return rewriter.op("Reshape", {view.flat, &rewriter.constant(Tensor::of<std::int64_t>({4}, target), "shape")});
  };
  Value& source = view.source != nullptr ? *view.source : apart();
  if (axes == Ints{0, 1, 2, 3}) return source;
  return rewriter.op("Transpose", {&source}, {{"perm", axes}});
}

GRAFT_INLINE Value& HeadView::flattened(Rewriter& rewriter) const {
  if (flat != nullptr) return steps_first ? with_first_axes_exchanged(rewriter, *flat) : *flat;
  const Ints target{0, 0, dim(heads).value() * dim(size).value()};
  Value& dims = rewriter.constant(Tensor::of<std::int64_t>({3}, target), "shape");
  return rewriter.op("Reshape", {&in_order(rewriter, *this, {0, 2, 1, 3}), &dims});
}

GRAFT_INLINE Value& HeadView::by_heads(Rewriter& rewriter) const { return in_order(rewriter, *this, {0, 1, 2, 3}); }

GRAFT_INLINE Value& split_heads(Rewriter& rewriter, Value& flat, std::int64_t heads, std::int64_t size) {
  Value& shape = rewriter.constant(Tensor::of<std::int64_t>({4}, {0, 0, heads, size}), "shape");
  return rewriter.op("Transpose", {&rewriter.op("Reshape", {&flat, &shape})}, {{"perm", {0, 2, 1, 3}}});
}

}  // namespace graft::inline v1::detail
