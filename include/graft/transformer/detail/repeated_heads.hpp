#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// [batch, groups, steps, size], and how many times in a row each head is repeated.
struct RepeatedHeads {
  Value* groups = nullptr;
  std::int64_t times = 1;
};

/// The source of a value of rank 4 that repeats heads along axis 1: by Reshape of an Expand, Tile or Concat along a new
/// axis 2, or by Gather with constant indices. nullopt for other values, and if an Expand may enlarge another axis.
std::optional<RepeatedHeads> repeated_heads(Rewriter& rewriter, const Value& value);

}  // namespace graft::inline v1::detail
