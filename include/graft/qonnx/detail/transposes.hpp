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

/// The order of a Transpose; nullopt if it reverses axes whose number is not known.
std::optional<Ints> order_of(const Node& transpose);

/// The Transpose that makes the value, with a known order; nullptr if there is none.
Node* transpose_before(const Value& value);

/// [0, 2, ..., rank - 1, 1], from channels in the second place to channels in the last, and back.
Ints channels_to_last(std::size_t rank);
Ints channels_to_first(std::size_t rank);

/// The value with its axes in that order, for the node `user`: what a Transpose that it undoes reads, a transposed
/// constant, what another Transpose has made of it already, or a new one's output.
Value& transposed_for(Node& user, Value& value, std::span<const std::int64_t> order, Rewriter& rewriter);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/transposes.ipp>
#endif
