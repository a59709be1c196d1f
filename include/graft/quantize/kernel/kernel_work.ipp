#pragma once
#include <graft/quantize/kernel/kernel_work.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether it reads no more of its first operand than it gives.
inline bool reads_part(const Node& node) {
  return facts_of(node).elements == Elements::moved || node.is("Shape") || node.is("Size");
}

inline void count_elements(const Node& node, std::size_t first_operand, KernelWork& work) {
  for (const Value& output : node.outputs()) work.results += elements_of(output.shape());
  const Value* const first = first_operand < node.input_count() ? node.input(first_operand) : nullptr;
  work.elements =
      first == nullptr || reads_part(node) ? work.results : std::max(work.results, elements_of(first->shape()));
}

/// An extent that is not known counts as 32, and no axis as 1.
inline double axis_extent(const Shape& shape, std::int64_t axis) {
  if (axis < 0) axis += static_cast<std::int64_t>(shape.rank());
  if (!shape.known() || axis < 0 || axis >= static_cast<std::int64_t>(shape.rank())) return 1;
  const Dim dim = shape[static_cast<std::size_t>(axis)];
  return dim.known() ? static_cast<double>(dim.value()) : 32;
}

inline void count_products(const Node& node, KernelWork& work) {
  constexpr double fewest = 16;
  const Shape& weight = node.input(1)->shape();
  work.products = work.results * products_of(node);
  if (is_stored(*node.input(1))) work.weights = elements_of(weight);
  const bool is_conv = node.op_type() == "Conv" && weight.rank() > 2;
  const std::int64_t groups = groups_of(node);
  const auto filters = static_cast<double>(std::max<std::int64_t>(product_columns(node).value_or(1), 1));
  const double channels = is_conv ? std::max(axis_extent(weight, 1), 1.0) : 1;
  if (is_conv && channels == 1 && filters == 1) {
    work.width = KernelWidth::few_channels;
    work.products *= std::max(fewest / static_cast<double>(groups), 1.0);
    return;
  }
  if (!is_conv) work.pieces = work.results / filters;
  else if (groups > 1) work.pieces = work.products / (channels * filters);
  else if (channels < 4) {
    work.width = KernelWidth::first_layer;
    work.pieces = work.products / (channels * filters * axis_extent(weight, -1));
  }
  if (product_columns(node)) work.products *= std::max(fewest / filters, 1.0);
}

/// How many runs of elements two broadcast operands have, in which both of them go on or one stays; 0 if it is all one.
inline double broadcast_pieces(const Node& node, double results) {
  if (node.input_count() != 2 || node.input(0) == nullptr || node.input(1) == nullptr) return 0;
  const Shape a = node.input(0)->shape(), b = node.input(1)->shape();
  if (!a.known() || !b.known()) return 0;
  const auto rank = static_cast<std::int64_t>(std::max(a.rank(), b.rank()));
  double run = 1;
  std::optional<std::pair<bool, bool>> first;  // whether a and b have more than one element along the axis
  for (std::int64_t axis = -1; axis >= -rank; --axis) {
    const double of_a = axis_extent(a, axis), of_b = axis_extent(b, axis);
    if (of_a == 1 && of_b == 1) continue;
    const std::pair goes_on{of_a != 1, of_b != 1};
    if (first && *first != goes_on) return results / run;
    first = goes_on;
    run *= std::max(of_a, of_b);
  }
  return 0;
}

/// Of queries with keys, and of what these give with values.
inline double attention_products(const Node& node) {
  if ((!node.is("com.microsoft::MultiHeadAttention") && !node.is("Attention")) || node.input(0) == nullptr) return 0;
  const Value* const queries = node.input(0);
  const Value* const keys = node.input_count() > 1 && node.input(1) != nullptr ? node.input(1) : queries;
  return 2 * elements_of(queries->shape()) * axis_extent(keys->shape(), -2);
}

/// Of each step with both weights.
inline double recurrent_products(const Node& node) {
  if ((!node.is("LSTM") && !node.is("GRU") && !node.is("RNN")) || node.input_count() < 3) return 0;
  const Shape& inputs = node.input(0)->shape();
  return elements_of(inputs) / std::max(axis_extent(inputs, -1), 1.0) *
         (elements_of(node.input(1)->shape()) + elements_of(node.input(2)->shape()));
}

}  // namespace detail

GRAFT_INLINE KernelWork kernel_work(const Node& node, const IntegerKernel& kernel) {
  KernelWork work;
  const bool is_weighted = kernel.form == KernelForm::weighted;
  detail::count_elements(node, is_weighted ? 0 : kernel.first_operand, work);
  if (is_weighted) detail::count_products(node, work);
  else if (kernel.form == KernelForm::elementwise && kernel.operands == 2)
    work.pieces = detail::broadcast_pieces(node, work.results);
  return work;
}

GRAFT_INLINE KernelWork float_work(const Node& node) {
  KernelWork work;
  detail::count_elements(node, 0, work);
  work.products = detail::attention_products(node) + detail::recurrent_products(node);
  return work;
}

}  // namespace graft::inline v1
