#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::vocabulary {

/// Whether the mask of a main-domain Attention may have fewer keys than there are: since opset 24 the others are
/// hidden. `keys` is the number of new keys. After a past, the number of all keys is unknown here.
inline bool may_have_short_mask(const Node& attention, const Dim& keys) {
  const Value* const mask = attention.input(3);
  if (mask == nullptr || attention.opset() < 24) return false;
  const Shape given = mask->shape();
  return attention.input(4) != nullptr || given.rank() == 0 || !same_size(given[given.rank() - 1], keys);
}

}  // namespace graft::inline v1::vocabulary
