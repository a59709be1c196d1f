#pragma once
#include <graft/transformer/detail/head_view.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/made_by.hpp>

namespace graft::inline v1::detail {

/// The other operand of a Mul or Div by a constant of one element, which multiplies `factor`; nullptr for other nodes.
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

/// What a Reshape to [batch, steps, heads, size] reads, if that is [batch, steps, heads * size]; else nullptr.
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

/// The axes of a Transpose of this rank; nullopt if it is of another, or they are no permutation.
inline std::optional<Ints> transposed_axes(const Node& transpose, std::size_t rank) {
  Ints all(rank);
  std::iota(all.begin(), all.end(), 0);
  Ints axes = transpose.attr<Ints>("perm").value_or(Ints(all.rbegin(), all.rend()));
  const bool fits = transpose.input(0)->shape().rank() == rank &&
                    std::is_permutation(axes.begin(), axes.end(), all.begin(), all.end());
  return fits ? std::optional(std::move(axes)) : std::nullopt;
}

GRAFT_INLINE HeadView head_view(Value& operand, bool exchanged) {
  HeadView view;
  view.source = &operand;
  if (exchanged) view.perm = {0, 1, 3, 2};
  const auto pass_factors = [&view](Value* value) {
    for (Node* node = value->producer(); node != nullptr; node = value->producer()) {
      Value* const other = behind_factor(*node, view.factor);
      if (other == nullptr) break;
      value = other;
    }
    return value;
  };
  for (;;) {
    view.source = pass_factors(view.source);
    const Node* const node = made_by(*view.source, "Transpose");
    const auto outer = node == nullptr ? std::nullopt : transposed_axes(*node, view.perm.size());
    if (!outer) break;
    for (std::int64_t& axis : view.perm) axis = (*outer)[static_cast<std::size_t>(axis)];
    view.source = node->input(0);
  }
  if (view.perm == Ints{0, 2, 1, 3}) view.flat = flat_source(*view.source);
  if (view.flat != nullptr) view.flat = pass_factors(view.flat);
  return view;
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
    return detail::extent(rewriter, *flat, axis == batch ? 0 : 1);
  return detail::extent(rewriter, *source, static_cast<std::size_t>(perm[axis]));
}

/// The source with its axes in the order of `order`, counted as those of the operand.
inline Value& in_order(Rewriter& rewriter, const HeadView& view, const Ints& order) {
  Ints axes;
  for (const std::int64_t axis : order) axes.push_back(view.perm[static_cast<std::size_t>(axis)]);
  if (axes == Ints{0, 1, 2, 3}) return *view.source;
  return rewriter.op("Transpose", {view.source}, {{"perm", axes}});
}

GRAFT_INLINE Value& HeadView::flattened(Rewriter& rewriter) const {
  if (flat != nullptr) return *flat;
  const Ints target{0, 0, dim(heads).value() * dim(size).value()};
  Value& shape = rewriter.constant(Tensor::of<std::int64_t>({3}, target), "shape");
  return rewriter.op("Reshape", {&in_order(rewriter, *this, {0, 2, 1, 3}), &shape});
}

GRAFT_INLINE Value& HeadView::by_heads(Rewriter& rewriter) const { return in_order(rewriter, *this, {0, 1, 2, 3}); }

GRAFT_INLINE Value& split_heads(Rewriter& rewriter, Value& flat, std::int64_t heads, std::int64_t size) {
  Value& shape = rewriter.constant(Tensor::of<std::int64_t>({4}, {0, 0, heads, size}), "shape");
  return rewriter.op("Transpose", {&rewriter.op("Reshape", {&flat, &shape})}, {{"perm", {0, 2, 1, 3}}});
}

}  // namespace graft::inline v1::detail
