#pragma once
#include <algorithm>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/detail/small_products.hpp>
#include <graft/quantize/kernel/kernel_work.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

inline double time_in_float(const Node& node, const IntegerKernel& kernel) {
  const KernelWork work = kernel_work(node, kernel);
  return time_of(work, costs_of(kernel, work.width).in_float);
}
inline double time_in_integers(const Node& node, const IntegerKernel& kernel) {
  if (kernel.has(KernelQuirk::slow_if_small) && is_small_product(node)) return time_in_float(node, kernel);
  const KernelWork work = kernel_work(node, kernel);
  return time_of(work, costs_of(kernel, work.width).in_integers);
}
/// The additional work in integers behind a float value.
inline double time_apart(const Node& node, const IntegerKernel& kernel) {
  KernelWork work = kernel_work(node, kernel);
  work.products = work.results * window_elements(node);
  return graft::time_of(work, kernel.float_input_cost);
}
inline double time_of(const Value& value, const KernelCost& cost) {
  return graft::time_of(KernelWork{.elements = elements_of(value.shape())}, cost);
}

/// Whether a convolution reads or produces the value; an activation and quantizers may be between.
inline bool is_of_conv(const Value& value) {
  const auto is_conv = [](const Node& node) { return node.is("Conv") || node.is("ConvTranspose"); };
  const Value* made = &value;
  for (int step = 0; step < 3 && made != nullptr && made->producer() != nullptr; ++step) {
    if (is_conv(*made->producer())) return true;
    made = made->producer()->input_count() > 0 ? made->producer()->input(0) : nullptr;
  }
  const auto users = value.users();
  return std::any_of(users.begin(), users.end(), is_conv);
}

/// The time of quantizing or dequantizing a value, at this cost.
inline double conversion_time(const Value& value, const KernelCost& cost, const Target& target) {
  return time_of(value, cost) + (is_of_conv(value) ? time_of(value, target.relayout) : 0);
}

}  // namespace graft::inline v1::detail
