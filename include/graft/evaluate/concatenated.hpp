#pragma once
#include <cstddef>
#include <span>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The tensors joined along an axis, as by Concat. Takes at least one; the axis is in [0, rank). Throws Error unless
/// they agree in dtype and in the other extents, and for elements that share a byte.
Tensor concatenated(std::span<const Tensor> parts, std::size_t axis);

}  // namespace graft::inline v1
