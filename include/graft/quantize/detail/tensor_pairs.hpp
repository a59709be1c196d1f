#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// A tensor of the float graph, and its counterpart in the quantized one.
struct TensorPair {
  const Value* floats;
  const Value* quantized;
};

/// The tensors that both graphs have, by name. In the quantized graph, the tensor as its readers see it: behind its
/// pair, if it has one.
std::vector<TensorPair> tensor_pairs(const Graph& floats, const Graph& quantized);

}  // namespace graft::inline v1::detail
