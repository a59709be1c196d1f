#pragma once
#include <cstdint>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/ranges.hpp>

namespace graft::inline v1::detail {

/// Tensors for the inputs of a graph, where there are no samples. Floats are uniform in the range of the input, or from
/// -1 to 1. Integers of 8 bits take any value, indices of a constant table address all its rows, other integers are 0
/// or 1. An extent that the graph leaves open is 1 in front and open_extent elsewhere, or what extent_of_symbol() makes
/// of it. The same seed gives the same tensors on every machine. Inputs with an initializer are left out. Throws Error
/// naming an input that holds no numbers, or whose rank is unknown.
Feeds random_feeds(const Graph& graph, const Ranges& ranges, std::int64_t open_extent, std::uint32_t seed);

}  // namespace graft::inline v1::detail
