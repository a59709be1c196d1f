#pragma once
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// Which of a kernel's costs apply to a node.
enum class KernelWidth : std::uint8_t {
  usual,         ///< in_float, in_integers
  few_channels,  ///< a depthwise convolution, also of one channel
  first_layer,   ///< fewer than 4 input channels in one group
  narrow [[deprecated("use few_channels")]] = few_channels,
  image [[deprecated("use first_layer")]] = first_layer,
};

/// The work by which the cost of a node is counted.
struct KernelWork {
  double results = 0;   ///< elements of all results
  double elements = 0;  ///< of the first operand or the results, whichever are more; of what copies a part, the results
  double products = 0;  ///< fewer than 16 filters, columns of a matrix or depthwise channels count as 16, a full vector
  double weights = 0;   ///< elements of a constant weight
  double pieces = 0;    ///< KernelCost::piece; 0 where a convolution is depthwise, or of one group and usual width
  KernelWidth width = KernelWidth::usual;
};

/// By the shapes in the graph: a dim that is not known counts as 1 in front, and as 32 elsewhere. kernel: that of the
/// node's operator.
KernelWork kernel_work(const Node& node, const IntegerKernel& kernel);

/// The same of a node without an integer kernel. Attention and recurrent operators have products.
KernelWork float_work(const Node& node);

/// The costs of that width; the usual ones where the kernel has none of its own.
constexpr KernelCosts costs_of(const IntegerKernel& kernel, KernelWidth width) {
  if (width == KernelWidth::first_layer && kernel.first_layer) return *kernel.first_layer;
  if (width != KernelWidth::usual && kernel.few_channels) return *kernel.few_channels;
  return {kernel.in_float, kernel.in_integers};
}

/// With the cost. In nanoseconds.
constexpr double time_of(const KernelWork& work, const KernelCost& cost) {
  return double{cost.call} + work.elements * double{cost.element} + work.products * double{cost.product} +
         work.weights * double{cost.weight} + work.pieces * double{cost.piece};
}

}  // namespace graft::inline v1
