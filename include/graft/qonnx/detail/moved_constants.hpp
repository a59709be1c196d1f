#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/tensor.hpp>

// Constants whose axes are moved or shortened along with those of the tensors that they are combined with.

namespace graft::inline v1::qonnx::detail {

/// The order that undoes an order of axes.
Ints inverse(std::span<const std::int64_t> order);

/// Axis i of the result is axis order[i]. nullopt where elements share a byte.
std::optional<Tensor> permuted(const Tensor& x, std::span<const std::int64_t> order);

/// The same elements with ones in front of the dims. Precondition: the rank is no higher than that.
Tensor at_rank(const Tensor& x, std::size_t rank);

/// What a constant that is broadcast to a tensor becomes when the axes of the tensor are put in an order. nullopt if it
/// has a higher rank than that, or elements that share a byte.
std::optional<Tensor> permuted_operand(const Tensor& constant, std::span<const std::int64_t> order);

/// Without these places along an axis. nullopt where elements share a byte.
std::optional<Tensor> without(const Tensor& x, std::size_t axis, const std::set<std::int64_t>& removed);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/moved_constants.ipp>
#endif
