#pragma once
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1 {

/// Which of a kernel's costs apply to a node.
enum class KernelWidth : std::uint8_t {
  usual,   ///< in_float, in_integers
  narrow,  ///< `narrow`: fewer than 4 input channels in each group
  image,   ///< `image`: the same in one group
};

/// The work by which the cost of a node is counted.
struct KernelWork {
  double results = 0;   ///< elements of all results
  double elements = 0;  ///< of the first operand or the results, whichever are more
  double products = 0;
  double weights = 0;  ///< elements of a constant weight
  KernelWidth width = KernelWidth::usual;
};

/// By the shapes in the graph: a dim that is not known counts as 1 in front, and as 32 elsewhere. kernel: that of the
/// node's operator.
KernelWork kernel_work(const Node& node, const IntegerKernel& kernel);

/// The costs of that width; the usual ones where the kernel has none of its own.
constexpr KernelCosts costs_of(const IntegerKernel& kernel, KernelWidth width) {
  if (width == KernelWidth::image && kernel.image) return *kernel.image;
  if (width != KernelWidth::usual && kernel.narrow) return *kernel.narrow;
  return {kernel.in_float, kernel.in_integers};
}

/// With the cost. In nanoseconds.
constexpr double time_of(const KernelWork& work, const KernelCost& cost) {
  return double{cost.call} + work.elements * double{cost.element} + work.products * double{cost.product} +
         work.weights * double{cost.weight};
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/kernel_work.ipp>
#endif
