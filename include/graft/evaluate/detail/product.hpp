#pragma once
#include <cstdint>
#include <type_traits>

#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/visit.hpp>
#include <graft/evaluate/detail/wrapping.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Extents of a product [m, k] x [k, n]. b may be stored as [n, k], and rows of the result may be strided.
struct Product {
  std::int64_t m, k, n;
  bool transposed_b = false;
  std::int64_t stride = n;
  const ParallelFor* parallel = nullptr;
};

/// y += a * b, row-major.
template <class T>
void add_product(const Product& p, const T* a, const T* b, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    const Gemm gemm{p.m, p.k, p.n, a, nullptr, y, p.stride};
    if (p.transposed_b && p.m == 1) {
      // Computes the transposed product, [n, k] by a column, which needs no packing.
      multiply(Gemm{p.n, p.k, 1, b, nullptr, y, 1}, RowMajor{a, 1, p.n}, best_simd(), p.parallel);
    } else if (p.transposed_b) {
      multiply(gemm, ColumnMajor{b, p.k}, best_simd(), p.parallel);
    } else {
      multiply(gemm, RowMajor{b, p.n, p.m}, best_simd(), p.parallel);
    }
  } else {
    // Other types need exactness, not speed: compiling vectorized code for them does not pay.
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t l = 0; l < p.k; ++l) {
        const T factor = a[i * p.k + l];
        const T* row = p.transposed_b ? b + l : b + l * p.n;
        const std::int64_t step = p.transposed_b ? p.k : 1;
        for (std::int64_t j = 0; j < p.n; ++j)
          y[i * p.stride + j] = Add()(y[i * p.stride + j], Mul()(factor, row[j * step]));
      }
    }
  }
}

/// The same for callers without a static type.
using ProductLoop = void (*)(const Product& p, const void* a, const void* b, void* y);

inline ProductLoop product_loop(DType dtype) {
  return visit_arithmetic(dtype, []<class T>() -> ProductLoop {
    return [](const Product& p, const void* a, const void* b, void* y) {
      add_product(p, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(y));
    };
  });
}

/// For floats that hold integers within 255 of 0, to i32; b is not transposed.
inline void add_integer_products(const Product& p, const void* a, const void* b, void* y) {
  const Gemm gemm{p.m, p.k, p.n, static_cast<const float*>(a), nullptr, static_cast<std::int32_t*>(y), p.stride};
  multiply(gemm, RowMajor{static_cast<const float*>(b), p.n, p.m}, best_simd(), p.parallel);
}

}  // namespace graft::inline v1::standard_kernels::detail
