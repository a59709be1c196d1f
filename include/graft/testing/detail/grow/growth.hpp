#pragma once
#include <cstddef>

#include <graft/testing/detail/grow/graph_grower.hpp>

namespace graft::inline v1::detail {

/// Adds nodes up to this number, including patterns of the vocabulary.
void grow(GraphGrower& grower, std::size_t nodes);

/// Adds an If or a Loop whose bodies read outer values. Throws Unfit.
void add_control(GraphGrower& grower);

/// Moves some nodes to a local function, and calls it instead.
void outline_some(Model& model, Dice& dice);

}  // namespace graft::inline v1::detail
