#pragma once
#include <graft/qonnx/detail/transposes.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE std::optional<Ints> order_of(const Node& transpose) {
  if (std::optional<Ints> given = transpose.attr<Ints>("perm"); given && !given->empty()) return given;
  const Shape shape = transpose.input(0)->shape();
  if (!shape.known()) return std::nullopt;
  Ints reversed(shape.rank());
  for (std::size_t i = 0; i < reversed.size(); ++i)
    reversed[i] = static_cast<std::int64_t>(reversed.size() - 1 - i);
  return reversed;
}

GRAFT_INLINE Node* transpose_before(const Value& value) {
  Node* const node = value.producer();
  return node != nullptr && node->is("Transpose") && order_of(*node) ? node : nullptr;
}

GRAFT_INLINE Ints channels_to_last(std::size_t rank) {
  Ints order{0};
  for (std::size_t i = 2; i < rank; ++i) order.push_back(static_cast<std::int64_t>(i));
  order.push_back(1);
  return order;
}

GRAFT_INLINE Ints channels_to_first(std::size_t rank) { return inverse(channels_to_last(rank)); }

GRAFT_INLINE Value& transposed_for(Node& user, Value& value, std::span<const std::int64_t> order, Rewriter& rewriter) {
  if (const Node* const before = transpose_before(value)) {
    const Ints first = *order_of(*before);
    if (std::ranges::equal(first, inverse(order))) return *before->input(0);
  }
  if (is_weight(value))
    if (Value* const weight = permuted_constant(value, order, rewriter)) return *weight;
  for (Node& other : value.users())
    if (&other.graph() == &user.graph() && other.before(user) && transpose_before(*other.output(0)) == &other &&
        std::ranges::equal(*order_of(other), order))
      return *other.output(0);
  return rewriter.op("Transpose", {&value}, {{"perm", order}});
}

}  // namespace graft::inline v1::qonnx::detail
