#pragma once
#include <graft/qonnx/detail/moved_constants.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE Ints inverse(std::span<const std::int64_t> order) {
  Ints result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    result[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return result;
}

GRAFT_INLINE std::optional<Tensor> permuted(const Tensor& x, std::span<const std::int64_t> order) {
  if (bits(x.dtype()) < 8 || order.size() != x.rank()) return std::nullopt;
  return graft::permuted(x, {order.begin(), order.end()});
}

GRAFT_INLINE Tensor at_rank(const Tensor& x, std::size_t rank) {
  Dims dims(rank - x.rank(), 1);
  dims.insert(dims.end(), x.dims().begin(), x.dims().end());
  return x.reshaped(std::move(dims));
}

GRAFT_INLINE std::optional<Tensor> permuted_operand(const Tensor& constant, std::span<const std::int64_t> order) {
  if (constant.rank() > order.size()) return std::nullopt;
  if (constant.size() == 1) return constant;
  return permuted(at_rank(constant, order.size()), order);
}

GRAFT_INLINE std::optional<Tensor> without(const Tensor& x, std::size_t axis, const std::set<std::int64_t>& removed) {
  if (bits(x.dtype()) % 8 != 0) return std::nullopt;
  Dims dims = x.dims();
  const std::int64_t extent = dims[axis];
  std::size_t outer = 1, inner = bits(x.dtype()) / 8;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(dims[i]);
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  dims[axis] -= static_cast<std::int64_t>(removed.size());
  Tensor result(x.dtype(), dims);
  std::byte* into = result.mutable_bytes().data();
  const std::byte* from = x.bytes().data();
  for (std::size_t i = 0; i < outer; ++i) {
    for (std::int64_t k = 0; k < extent; ++k, from += inner)
      if (removed.count(k) == 0) into = std::copy(from, from + inner, into);
  }
  return result;
}

}  // namespace graft::inline v1::qonnx::detail
