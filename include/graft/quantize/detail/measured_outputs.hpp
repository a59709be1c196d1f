#pragma once
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The values by which two copies of a graph are compared: the outputs, but for strings, which no executor computes and
/// quantization leaves alone.
///
/// NonMaxSuppression, NonZero, Unique, Compress and the indices of TopK select: as soon as one score differs a little,
/// what is computed from them has other rows or another order, which says little of how near the copies are. In place
/// of such outputs stand the floats that are selected, and by which. Outputs of a product by a constant behind the
/// selection stay, since nothing else would show what it loses. Copies that were quantized in other ways have the same
/// values, in the same order; one that has a pair is what the pair makes of it.
std::vector<const Value*> measured_values(const Graph& graph);

Fetches measured_outputs(const Graph& graph);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/measured_outputs.ipp>
#endif
