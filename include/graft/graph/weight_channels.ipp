#pragma once
#include <graft/config.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/weight_channels.hpp>

#include <cstdint>

namespace graft::inline v1 {

GRAFT_INLINE WeightChannels::WeightChannels(const Node& product, const Dims& dims)
    : first_(static_cast<std::size_t>(dims[0])), second_(static_cast<std::size_t>(dims[1])) {
  const bool is_matrix = product.is("Gemm") || product.is("MatMul");
  has_inputs_in_front_ = facts_of(product).weight_axis == 1 && product.attr<std::int64_t>("transB").value_or(0) == 0;
  for (std::size_t i = 2; i < dims.size(); ++i) positions_ *= static_cast<std::size_t>(dims[i]);
  if (!is_matrix) groups_ = static_cast<std::size_t>(product.attr<std::int64_t>("group").value_or(1));
}

}  // namespace graft::inline v1
