#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>

namespace graft::inline v1::detail {

/// An extent that is not known counts as a large one.
inline constexpr std::int64_t large_extent = 1 << 20;

inline std::int64_t extent_or_large(const Shape& shape, std::size_t axis) {
  return axis < shape.rank() && shape[axis].known() ? shape[axis].value() : large_extent;
}

/// Whether a matrix has one row or one column, or fewer than 16 elements along the axis that is summed, or columns.
/// (NVIDIA Model Optimizer, onnx/quantization/graph_utils.py.)
inline bool is_small_matrix_product(const Node& node) {
  const Shape a = known_shape(*node.input(0)), b = known_shape(*node.input(1));
  if (!a.known() || !b.known() || a.rank() == 0 || b.rank() == 0) return false;
  const auto is_turned = [&](const char* attribute) { return node.attr<std::int64_t>(attribute).value_or(0) != 0; };
  const auto from_end = [](const Shape& shape, std::size_t distance) {
    return shape.rank() > distance ? extent_or_large(shape, shape.rank() - 1 - distance) : 1;
  };
  const std::int64_t rows = from_end(a, is_turned("transA") ? 0 : 1), summed = from_end(a, is_turned("transA") ? 1 : 0);
  const std::int64_t columns = b.rank() == 1 ? 1 : from_end(b, is_turned("transB") ? 1 : 0);
  return rows == 1 || columns < 16 || summed < 16;
}

/// Whether its weight has fewer than 16 filters or channels, unless its kernel is square, or it is grouped and no
/// extent of its kernel is below 3, and the other extent fills vectors of 8. (The same source.)
inline bool is_small_convolution(const Node& node) {
  const Shape weight = known_shape(*node.input(1));
  if (!weight.known() || weight.rank() < 3) return false;
  const std::int64_t first = extent_or_large(weight, 0), second = extent_or_large(weight, 1);
  if (std::min(first, second) >= 16) return false;
  std::int64_t least = large_extent, most = 0;
  for (std::size_t axis = 2; axis < weight.rank(); ++axis) {
    least = std::min(least, extent_or_large(weight, axis));
    most = std::max(most, extent_or_large(weight, axis));
  }
  if (groups_of(node) > 1) return !(first % 8 == 0 && least >= 3);
  const bool is_first = node.input(0)->is_graph_input();
  return !(least == most && (first % 8 == 0 || second % 8 == 0) && (std::max(first, second) >= 16 || is_first));
}

/// Whether a product is too small to gain anything in integers on a GPU, as far as its extents are known.
inline bool is_small_product(const Node& node) {
  if (node.input(0) == nullptr || node.input(1) == nullptr) return false;
  return convolves(node) ? is_small_convolution(node) : is_small_matrix_product(node);
}

}  // namespace graft::inline v1::detail
