#pragma once
#include <graft/evaluate/backward_kernels.hpp>

/// The gradients of operators that only change dims: Identity, Reshape, Flatten, Squeeze, Unsqueeze, Dropout.
namespace graft::inline v1::standard_kernels::backward {

inline void reshape(BackwardContext& ctx) {
  if (ctx.needs(0)) ctx.set_gradient(0, ctx.output_gradient().reshaped(ctx.input(0).dims()));
}

inline void add_shape(BackwardKernels& kernels) {
  kernels.add("Identity", reshape)
      .add("Reshape", reshape)
      .add("Flatten", reshape)
      .add("Squeeze", reshape)
      .add("Unsqueeze", reshape)
      .add("Dropout", {7}, reshape);
}

}  // namespace graft::inline v1::standard_kernels::backward
