#pragma once
#include <cstdint>

#include <graft/evaluate/backward_kernels.hpp>
#include <graft/graph/dtype.hpp>

/// The gradients of Cast and CastLike. Those of integers are zero.
namespace graft::inline v1::standard_kernels::backward {

inline void cast(BackwardContext& ctx) {
  const auto to = ctx.has_input(1) ? ctx.input(1).dtype() : static_cast<DType>(ctx.attr<std::int64_t>("to"));
  if (ctx.needs(0) && is_float(to)) ctx.set_gradient(0, ctx.output_gradient());
}

inline void add_cast(BackwardKernels& kernels) { kernels.add("Cast", {6}, cast).add("CastLike", cast); }

}  // namespace graft::inline v1::standard_kernels::backward
