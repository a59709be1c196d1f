#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The matrices in the two last axes, transposed.
inline Tensor transposed(const Tensor& x) {
  std::vector<std::size_t> order(x.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[x.rank() - 2], order[x.rank() - 1]);
  return permuted(x, order);
}

}  // namespace graft::inline v1::standard_kernels::detail

/// The gradients of MatMul and Gemm. Those of y = a b are g b^T and a^T g.
namespace graft::inline v1::standard_kernels::backward {

/// The gradient of one matrix b is one product of all rows of a and g; other gradients are summed over the batches that
/// an operand lacks.
inline void matmul(BackwardContext& ctx) {
  const Dims a_dims = ctx.input(0).dims(), b_dims = ctx.input(1).dims();
  const bool row = a_dims.size() == 1, column = b_dims.size() == 1;
  Tensor a = row ? ctx.input(0).reshaped({1, a_dims[0]}) : ctx.input(0);
  const Tensor b = column ? ctx.input(1).reshaped({b_dims[0], 1}) : ctx.input(1);
  if (a.rank() < 2 || b.rank() < 2) throw Error("a scalar cannot be an operand of MatMul");
  Dims dims = detail::broadcast_dims({a.dims().begin(), a.dims().end() - 2}, {b.dims().begin(), b.dims().end() - 2});
  dims.insert(dims.end(), {a.dims()[a.rank() - 2], b.dims().back()});
  Tensor g = ctx.output_gradient().reshaped(std::move(dims));

  if (ctx.needs(0)) {
    const Tensor gradient = detail::multiply(g, b, true, ctx.parallel());
    ctx.set_gradient(0, detail::sum_to(gradient, a.dims()).reshaped(a_dims));
  }
  if (!ctx.needs(1)) return;
  if (detail::extent(b.dims(), 0, b.rank() - 2) == 1) {
    const std::int64_t rows = detail::extent(a.dims(), 0, a.rank() - 1);
    a = a.reshaped({rows, a.dims().back()});
    g = g.reshaped({rows, b.dims().back()});
    return ctx.set_gradient(1, detail::multiply(detail::transposed(a), g, false, ctx.parallel()).reshaped(b_dims));
  }
  const Tensor gradient = detail::multiply(detail::transposed(a), g, false, ctx.parallel());
  ctx.set_gradient(1, detail::sum_to(gradient, b.dims()).reshaped(b_dims));
}

/// y = alpha op(a) op(b) + beta c, where op may transpose.
inline void gemm(BackwardContext& ctx) {
  const Tensor& a = ctx.input(0);
  const Tensor& b = ctx.input(1);
  const bool transposed_a = ctx.attr<std::int64_t>("transA") != 0, transposed_b = ctx.attr<std::int64_t>("transB") != 0;
  if (a.rank() != 2 || b.rank() != 2) throw detail::failure({"expected matrices, found ", a, " and ", b});
  const Dims dims{a.dims()[transposed_a ? 1 : 0], b.dims()[transposed_b ? 0 : 1]};
  const Tensor g = detail::times(detail::gradient_of(ctx, dims), ctx.attr<float>("alpha"));
  if (ctx.needs(0)) {
    const Tensor gradient = detail::multiply(g, b, !transposed_b, ctx.parallel());
    ctx.set_gradient(0, transposed_a ? detail::transposed(gradient) : gradient);
  }
  if (ctx.needs(1)) {
    // [k, n] = op(a)^T g, or as b is stored, [n, k] = g^T op(a)
    const Tensor left = transposed_b ? detail::transposed(g) : transposed_a ? a : detail::transposed(a);
    const Tensor right = !transposed_b ? g : transposed_a ? detail::transposed(a) : a;
    ctx.set_gradient(1, detail::multiply(left, right, false, ctx.parallel()));
  }
  if (ctx.needs(2))
    ctx.set_gradient(2, detail::sum_to(detail::times(ctx.output_gradient(), ctx.attr<float>("beta")),
                                       ctx.input(2).dims()));
}

inline void add_gemm(BackwardKernels& kernels) { kernels.add("MatMul", matmul).add("Gemm", {7}, gemm); }

}  // namespace graft::inline v1::standard_kernels::backward
