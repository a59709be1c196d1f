#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The tensor with its axes in another order, as by Transpose: axis i of the result is axis order[i] of x. Throws Error
/// for strings and for elements that share a byte.
Tensor permuted(const Tensor& x, const std::vector<std::size_t>& order);

}  // namespace graft::inline v1
