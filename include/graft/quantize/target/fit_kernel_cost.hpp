#pragma once
#include <span>

#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// What an operator took once, and of how much work. weights: of the elements of a weight; 0 leaves them out.
struct KernelTime {
  double elements = 0, products = 0, nanoseconds = 0;
  double weights = 0;
};

/// The cost, none of it negative, with the least squares of the times' errors, each relative to its time and half a
/// microsecond, below which clocks and calls are noise. Throws Error if there are fewer than three times, or four where
/// any has weights, as many as the cost has terms; or if one is negative or not finite.
KernelCost fit_kernel_cost(std::span<const KernelTime> times);

}  // namespace graft::inline v1
