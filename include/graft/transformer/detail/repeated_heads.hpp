#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// [batch, groups, steps, size] of which each head stands so many times in a row.
struct RepeatedHeads {
  Value* groups = nullptr;
  std::int64_t times = 1;
};

/// What a value of rank 4 repeats along axis 1: by Reshape of an Expand, Tile or Concat along a new axis 2, or by
/// Gather with constant indices. nullopt if it does not, or if an Expand may make more of another axis.
std::optional<RepeatedHeads> repeated_heads(Rewriter& rewriter, const Value& value);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/repeated_heads.ipp>
#endif
