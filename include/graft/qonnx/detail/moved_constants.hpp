#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/tensor.hpp>

// Constants whose axes are moved or shortened with those of the tensors with which they are combined.

namespace graft::inline v1::qonnx::detail {

/// The inverse of an order of axes.
Ints inverse(std::span<const std::int64_t> order);

/// Axis i of the result is axis order[i]. nullopt if elements share a byte.
std::optional<Tensor> permuted(const Tensor& x, std::span<const std::int64_t> order);

/// The same elements with leading extents of 1. Precondition: the rank is at most this.
Tensor at_rank(const Tensor& x, std::size_t rank);

/// The constant that broadcasts to a tensor after the axes of the tensor are permuted. nullopt if it has a higher rank
/// than that, or elements share a byte.
std::optional<Tensor> permuted_operand(const Tensor& constant, std::span<const std::int64_t> order);

/// Removes these indices of an axis. nullopt if elements share a byte.
std::optional<Tensor> without(const Tensor& x, std::size_t axis, const std::set<std::int64_t>& removed);

}  // namespace graft::inline v1::qonnx::detail
