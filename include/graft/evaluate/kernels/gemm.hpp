#pragma once
#include <utility>

#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The products of the matrices in the two last axes of a and b, over the broadcast of the other axes. For a result of
/// i32, a and b are floats that hold integers within 255 of 0.
inline Tensor multiply(const Tensor& a, const Tensor& b, bool transposed_b, const ParallelFor* parallel = nullptr,
                       bool to_i32 = false) {
  const Dims a_batch(a.dims().begin(), a.dims().end() - 2);
  const Dims b_batch(b.dims().begin(), b.dims().end() - 2);
  const std::size_t rows = b.rank() - 2;
  Product product{a.dims()[a.rank() - 2], a.dims().back(), b.dims()[transposed_b ? rows : rows + 1], transposed_b};
  if (b.dims()[transposed_b ? rows + 1 : rows] != product.k)
    throw failure({"factors ", a, " and ", b, " do not multiply"});
  const Dims batch = broadcast_dims(a_batch, b_batch);
  Dims dims = batch;
  dims.insert(dims.end(), {product.m, product.n});

  Tensor y(to_i32 ? DType::i32 : a.dtype(), dims);
  product.parallel = parallel;
  const ProductLoop loop = to_i32 ? add_integer_products : product_loop(a.dtype());
  const std::byte* left = a.bytes().data();
  const std::byte* right = b.bytes().data();
  std::byte* out = y.mutable_bytes().data();
  if (element_count(b_batch) == 1) {
    product.m *= element_count(a_batch);
    loop(product, left, right, out);
    return y;
  }
  const std::int64_t size = to_int(element_size(a));
  const StridedLoop<3> walk(
      batch, {contiguous_strides(batch), broadcast_strides(a_batch, batch), broadcast_strides(b_batch, batch)});
  walk.each_run([&](const auto& offset, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = [&](std::size_t k, std::int64_t matrix) {
        return (offset[k] + i * walk.inner()[k]) * matrix * size;
      };
      loop(product, left + at(1, product.m * product.k), right + at(2, product.k * product.n),
           out + at(0, product.m * product.n));
    }
  });
  return y;
}

/// Small integers are multiplied in wider ones, and wrap.
inline Tensor multiply_any(Tensor a, Tensor b, bool transposed_b, const ParallelFor* parallel = nullptr) {
  const DType dtype = a.dtype();
  if (b.dtype() != dtype) throw failure({"factors of types ", dtype, " and ", b.dtype()});
  const DType wide = computed_in(dtype);
  return cast(multiply(cast(std::move(a), wide), cast(std::move(b), wide), transposed_b, parallel), dtype);
}

/// NumPy's matmul: a vector on the left is a row, one on the right a column, and that axis is removed from the result.
inline Tensor matmul(Tensor a, Tensor b, const ParallelFor* parallel = nullptr, bool to_i32 = false) {
  if (a.rank() == 0 || b.rank() == 0) throw Error("a scalar cannot be an operand of MatMul");
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  if (row) a = a.reshaped({1, a.size()});
  if (column) b = b.reshaped({b.size(), 1});
  Tensor y = to_i32 ? multiply(a, b, false, parallel, true)
                    : multiply_any(std::move(a), std::move(b), false, parallel);
  Dims dims = y.dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return y.reshaped(std::move(dims));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void matmul(KernelContext& ctx) {
  ctx.set_output(0, detail::matmul(ctx.take_input(0), ctx.take_input(1), ctx.parallel()));
}

/// alpha * a * b + beta * c
inline void gemm(KernelContext& ctx) {
  Tensor a = ctx.take_input(0);
  Tensor b = ctx.take_input(1);
  if (a.rank() != 2 || b.rank() != 2) throw detail::failure({"Gemm: expected matrices, found ", a, " and ", b});
  if (ctx.attr<std::int64_t>("transA") != 0) a = permuted(a, {1, 0});
  Tensor y = detail::multiply_any(std::move(a), std::move(b), ctx.attr<std::int64_t>("transB") != 0, ctx.parallel());
  y = detail::times(std::move(y), ctx.attr<float>("alpha"));
  if (ctx.has_input(2)) {
    y = detail::arithmetic_onto<detail::Add>(std::move(y), "bias",
                                             detail::times(ctx.take_input(2), ctx.attr<float>("beta")));
  }
  ctx.set_output(0, std::move(y));
}

inline void add_gemm(Kernels& kernels) { kernels.add("MatMul", matmul).add("Gemm", {7}, gemm); }

}  // namespace graft::inline v1::standard_kernels
