#pragma once
#include <graft/quantize/target/kernel_work.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/element_counts.hpp>

namespace graft::inline v1 {

namespace detail {

/// A constant, or one that is dequantized.
inline bool is_stored(const Value& weight) {
  const Node* const maker = weight.producer();
  return weight.is_constant() || (maker != nullptr && is_dequantize(*maker) && maker->input(0)->is_constant());
}

}  // namespace detail

GRAFT_INLINE KernelWork kernel_work(const Node& node, const IntegerKernel& kernel) {
  KernelWork work;
  for (const Value& output : node.outputs()) work.results += detail::elements_of(output.shape());
  const bool is_weighted = kernel.form == KernelForm::weighted;
  const Value* const first = node.input(is_weighted ? 0 : kernel.first_operand);
  work.elements = std::max(work.results, detail::elements_of(first->shape()));
  if (!is_weighted) return work;
  work.products = work.results * detail::products_of(node);
  if (detail::is_stored(*node.input(1))) work.weights = detail::elements_of(node.input(1)->shape());
  if (detail::is_narrow(node)) work.width = detail::is_over_image(node) ? KernelWidth::image : KernelWidth::narrow;
  return work;
}

}  // namespace graft::inline v1
