#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/target/kernel_work.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

inline double time_in_float(const Node& node, const IntegerKernel& kernel) {
  const KernelWork work = kernel_work(node, kernel);
  return time_of(work, costs_of(kernel, work.width).in_float);
}
inline double time_in_integers(const Node& node, const IntegerKernel& kernel) {
  const KernelWork work = kernel_work(node, kernel);
  return time_of(work, costs_of(kernel, work.width).in_integers);
}
/// What more it takes in integers behind what is in float.
inline double time_apart(const Node& node, const IntegerKernel& kernel) {
  KernelWork work = kernel_work(node, kernel);
  work.products = work.results * window_elements(node);
  return graft::time_of(work, kernel.apart);
}
inline double time_of(const Value& value, const KernelCost& cost) {
  return graft::time_of(KernelWork{.elements = elements_of(value.shape())}, cost);
}

}  // namespace graft::inline v1::detail
