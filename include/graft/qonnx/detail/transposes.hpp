#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// The order of a Transpose; nullopt if it reverses an unknown number of axes.
std::optional<Ints> order_of(const Node& transpose);

/// The Transpose that produces the value, with a known order; nullptr if there is none.
Node* transpose_before(const Value& value);

/// [0, 2, ..., rank - 1, 1], from channels on the second axis to channels on the last, and the inverse.
Ints channels_to_last(std::size_t rank);
Ints channels_to_first(std::size_t rank);

/// The value with permuted axes, for the node `user`: the input of a Transpose that this order inverts, a transposed
/// constant, the output of an existing Transpose, or that of a new one.
Value& transposed_for(Node& user, Value& value, std::span<const std::int64_t> order, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail
