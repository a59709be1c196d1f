#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

// Indices of a Gather for a batch [B, S].

namespace graft::inline v1::detail {

/// The constant [P] or [1, P] whose first S elements along the last axis are the value; all P if P < S.
std::optional<Tensor> first_elements(const Value& value, const Dim& s, KnownContents& known);

/// Whether the indices are [B, S].
bool is_batch(const Value& indices, const Dim& b, const Dim& s, KnownContents& known);

/// Whether they are [S], [1, S] or [B, S], and count 0, 1 ... S-1 in each row. A Slice of too short a constant counts
/// as one: its sum with S rows is an error anyway.
bool counts_up_to(const Value& indices, const Dim& b, const Dim& s, KnownContents& known);

}  // namespace graft::inline v1::detail
