#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/model.hpp>

namespace graft::inline v1 {

/// A model of about that many nodes, the same for the same seed: of what simplify() looks for, such as constants and
/// what does nothing, chains of the same operator, shapes that are computed, convolutions, pools and products with what
/// stands around them; some values are outputs as well, are read several times, or by a body. All its types are known,
/// and any feeds do. Operators that jump are not over values that another order of sums may change.
Model random_graph(std::uint64_t seed, std::size_t nodes = 10);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/random_graph.ipp>
#endif
