#pragma once
#include <graft/quantize/target/kernel_work.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/quantize/detail/element_counts.hpp>

namespace graft::inline v1 {

GRAFT_INLINE KernelWork kernel_work(const Node& node, const IntegerKernel& kernel) {
  KernelWork work;
  for (const Value& output : node.outputs()) work.results += detail::elements_of(output.shape());
  const bool is_weighted = kernel.form == KernelForm::weighted;
  const Value* const first = node.input(is_weighted ? 0 : kernel.first_operand);
  work.elements = std::max(work.results, detail::elements_of(first->shape()));
  if (!is_weighted) return work;
  work.products = work.results * detail::products_of(node);
  if (node.input(1)->is_constant()) work.weights = detail::elements_of(node.input(1)->shape());
  if (detail::is_narrow(node)) work.width = detail::is_over_image(node) ? KernelWidth::image : KernelWidth::narrow;
  return work;
}

}  // namespace graft::inline v1
