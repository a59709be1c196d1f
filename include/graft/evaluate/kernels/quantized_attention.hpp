#pragma once
#include <graft/evaluate/kernels/contrib_attention.hpp>
#include <graft/evaluate/kernels/matmul_integer_to_float.hpp>
#include <graft/evaluate/kernels/qlinear.hpp>

namespace graft::inline v1::standard_kernels {

/// com.microsoft QAttention: input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point,
/// weight_zero_point, past. It is Attention after an integer product.
inline void quantized_attention(KernelContext& ctx) {
  const detail::IntegerFactor x(ctx.input(0), ctx.optional_input(6)), weight(ctx.input(1), ctx.optional_input(7));
  const Tensor projected = detail::scaled_product(ctx, x, weight, ctx.input(3), ctx.input(4), &ctx.input(2));
  detail::attend_projected(ctx, projected, {.mask = 5, .past = 8});
}

inline void add_quantized_attention(Kernels& kernels) { kernels.add("com.microsoft::QAttention", quantized_attention); }

}  // namespace graft::inline v1::standard_kernels
