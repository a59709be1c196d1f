#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// By elimination with the largest pivot of each column. Overwrites the matrix.
template <class T>
T determinant(T* a, std::int64_t n) {
  T product = 1;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      product = -product;
    }
    product *= a[k * n + k];
    for (std::int64_t i = k + 1; i < n; ++i) {
      const T factor = a[i * n + k] / a[k * n + k];
      for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

}  // namespace graft::inline v1::standard_kernels::detail

/// Trilu, EyeLike, Det.
namespace graft::inline v1::standard_kernels {

/// Sets the elements below (upper) or above the k-th diagonal to 0, for the matrices in the two last axes.
inline void trilu(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) throw detail::failure({x, " holds no matrices"});
  const bool upper = ctx.attr<std::int64_t>("upper") != 0;
  const std::int64_t rows = x.dims()[x.rank() - 2], columns = x.dims().back();
  const std::int64_t k = ctx.has_input(1) ? std::clamp(ctx.input(1).item<std::int64_t>(), -rows - 1, columns) : 0;
  const std::size_t size = detail::element_size(x);
  Tensor y(x.dtype(), x.dims());
  std::byte* const to = y.mutable_bytes().data();
  for (std::int64_t row = 0; columns > 0 && row < x.size() / columns; ++row) {
    const std::int64_t diagonal = row % rows + k;
    const std::int64_t begin = upper ? std::clamp<std::int64_t>(diagonal, 0, columns) : 0;
    const std::int64_t end = upper ? columns : std::clamp<std::int64_t>(diagonal + 1, 0, columns);
    const std::size_t at = detail::to_size(row * columns + begin) * size;
    std::memcpy(to + at, x.bytes().data() + at, detail::to_size(end - begin) * size);
  }
  ctx.set_output(0, std::move(y));
}

/// Ones on the k-th diagonal of a matrix with the input's dims.
inline void eye_like(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 2) throw detail::failure({x, " is not a matrix"});
  const auto dtype = static_cast<DType>(ctx.attr_or<std::int64_t>("dtype", static_cast<std::int64_t>(x.dtype())));
  const std::int64_t rows = x.dims()[0], columns = x.dims()[1];
  const std::int64_t k = std::clamp(ctx.attr<std::int64_t>("k"), -rows, columns);
  const Tensor one = detail::cast(Tensor::scalar(1.0F), dtype);
  const std::size_t size = detail::element_size(one);
  Tensor y(dtype, x.dims());
  std::byte* const to = y.mutable_bytes().data();
  for (std::int64_t row = std::max<std::int64_t>(0, -k); row < std::min(rows, columns - k); ++row)
    std::memcpy(to + detail::to_size(row * columns + row + k) * size, one.bytes().data(), size);
  ctx.set_output(0, std::move(y));
}

inline void det(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  if (x.rank() < 2 || x.dims()[x.rank() - 2] != x.dims().back())
    throw detail::failure({x, " holds no square matrices"});
  const std::int64_t n = x.dims().back();
  Tensor y(x.dtype(), Dims(x.dims().begin(), x.dims().end() - 2));
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    T* matrix = x.mutable_data<T>().data();
    for (T& value : y.mutable_data<T>()) {
      value = detail::determinant(matrix, n);
      matrix += n * n;
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_matrix(Kernels& kernels) { kernels.add("Trilu", trilu).add("EyeLike", eye_like).add("Det", det); }

}  // namespace graft::inline v1::standard_kernels
