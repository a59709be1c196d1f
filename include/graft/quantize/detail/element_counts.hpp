#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

/// The number of elements of a tensor. An unknown dim counts as 1 on the first axis, which may be a batch, and as 32 on
/// others.
inline double elements_of(const Shape& shape) {
  constexpr double typical = 32;
  if (!shape.known()) return typical * typical;
  double count = 1;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    count *= shape[axis].known() ? static_cast<double>(shape[axis].value()) : axis == 0 ? 1 : typical;
  return count;
}

/// The average over the result's elements, without padding. Each input element meets each tap, and one of every stride
/// of them hits an element of the result.
inline double products_of_transposed(const Node& node, const Shape& weight) {
  const auto at_least_1 = [](std::int64_t number) { return static_cast<double>(std::max<std::int64_t>(number, 1)); };
  double products = elements_of(weight) / at_least_1(node.attr<std::int64_t>("group").value_or(1));
  if (weight[1].known()) products /= at_least_1(weight[1].value());
  for (const std::int64_t stride : node.attr<Ints>("strides").value_or(Ints()))
    products /= at_least_1(stride);
  return products;
}

/// The number of products for one result element of a Conv, ConvTranspose, Gemm or MatMul.
inline double products_of(const Node& node) {
  const Shape& weight = node.input(1)->shape();
  if (weight.rank() < 2) return elements_of(weight);
  if (node.op_type() == "ConvTranspose") return products_of_transposed(node, weight);
  const bool outputs_first = node.op_type() == "Conv" || node.attr<std::int64_t>("transB").value_or(0) != 0;
  const Dim dim = outputs_first ? weight[0] : weight[weight.rank() - 2];
  if (!dim.known()) return 1;
  const auto extent = static_cast<double>(dim.value());
  return outputs_first ? elements_of(weight) / std::max(extent, 1.0) : extent;
}

/// The number of operand elements for one result element of a pool; 0 for other operators.
inline double window_elements(const Node& node) {
  const auto window = node.attr<Ints>("kernel_shape");
  double count = window ? 1 : 0;
  for (const std::int64_t extent : window.value_or(Ints())) count *= static_cast<double>(extent);
  return count;
}

}  // namespace graft::inline v1::detail
