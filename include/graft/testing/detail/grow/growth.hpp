#pragma once
#include <cstddef>

#include <graft/testing/detail/grow/graph_grower.hpp>

namespace graft::inline v1::detail {

/// Nodes until there are as many as that, patterns of the vocabulary among them.
void grow(GraphGrower& grower, std::size_t nodes);

/// An If or a Loop whose bodies read values around it. Throws Unfit.
void add_control(GraphGrower& grower);

/// Some nodes become a local function, which is called in their place.
void outline_some(Model& model, Dice& dice);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/grow/control.ipp>
#include <graft/testing/detail/grow/growth.ipp>
#endif
