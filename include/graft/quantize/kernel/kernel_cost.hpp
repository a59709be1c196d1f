#pragma once
#include <string_view>

namespace graft::inline v1 {

/// What a kernel takes on one thread, in nanoseconds: for each call, for each element of its first operand or its
/// results, whichever are more, for each product that makes these, and for each element of a constant weight, which is
/// read once however few rows it multiplies. piece: for each run of elements that it takes at once: a row of a matrix;
/// the channels at one tap of a convolution of several groups; a row of taps of a first layer; of two operands,
/// neighbours that are broadcast alike.
struct KernelCost {
  float call = 0, element = 0, product = 0, weight = 0, piece = 0;
};

/// The times of an operator that is computed in float and in integers.
struct KernelCosts {
  KernelCost in_float{}, in_integers{};
};

/// What an operator takes that has no integer kernel.
struct FloatCost {
  std::string_view op;  ///< "Erf", "domain::Op"
  KernelCost cost{};
};

/// What a product takes of activations in float, by a weight of so many bits with a scale for each block.
struct BlockCost {
  int bits = 8;
  KernelCost cost{};
};

}  // namespace graft::inline v1
