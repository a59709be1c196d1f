#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/strided_loop.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// ONNX multidirectional broadcasting (docs/Broadcasting.md). Throws Error if the dims do not broadcast, or the result
/// is too large.
inline Dims broadcast_dims(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t m = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t n = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (m != n && m != 1 && n != 1) throw failure({"dims ", a, " and ", b, " do not broadcast"});
    dims[dims.size() - 1 - i] = m == 1 ? n : m;
  }
  element_count(dims);
  return dims;
}

/// Strides that read a tensor of dims `from` as if it were broadcast to dims `to`.
inline Dims broadcast_strides(const Dims& from, const Dims& to) {
  const Dims own = contiguous_strides(from);
  Dims strides(to.size(), 0);
  const std::size_t lead = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) strides[lead + i] = from[i] == 1 ? 0 : own[i];
  return strides;
}

/// A run of elements in which each operand advances by 0 or 1 elements.
struct BinaryRun {
  const void* a;
  const void* b;
  void* y;
  std::int64_t a_stride, b_stride, count;
};

/// y = op(a, b) along a run. Only this function knows the types, so the walk is compiled once, not for each operator
/// and type.
using BinaryLoop = void (*)(const BinaryRun& run, const void* op);

/// An operation that also has a form for Eigen arrays, because compilers do not vectorize it at -O2.
template <class Op, class T>
concept Packed = std::same_as<T, float> && requires(const Op& op, ConstArray<T> x) {
  op.packed(x, x);
};

template <class T, class R, class Op>
void run_binary(const BinaryRun& run, const void* state) {
  const Op& op = *static_cast<const Op*>(state);
  const T* a = static_cast<const T*>(run.a);
  const T* b = static_cast<const T*>(run.b);
  R* y = static_cast<R*>(run.y);
  if constexpr (Packed<Op, T>) {
    const ConstArray<T> left(a, run.count);
    const ConstArray<T> right(b, run.count);
    Array<R> out(y, run.count);
    if (run.a_stride == 0) {
      out = op.packed(ConstArray<T>::Constant(run.count, *a), right);
    } else if (run.b_stride == 0) {
      out = op.packed(left, ConstArray<T>::Constant(run.count, *b));
    } else {
      out = op.packed(left, right);
    }
  } else {
    for (std::int64_t i = 0; i < run.count; ++i) y[i] = op(a[i * run.a_stride], b[i * run.b_stride]);
  }
}

/// y[...] = op(a[...], b[...]) over the broadcast of two tensors of one type. The result reuses the storage of an
/// operand of its type and dims if this is the operand's last use.
inline Tensor broadcast(Tensor a, Tensor b, DType result, BinaryLoop loop, const void* op,
                        const ParallelFor* parallel = nullptr) {
  const Dims dims = broadcast_dims(a.dims(), b.dims());
  const StridedLoop<3> walk(
      dims, {contiguous_strides(dims), broadcast_strides(a.dims(), dims), broadcast_strides(b.dims(), dims)});
  const std::size_t operand_size = element_size(a);
  const std::byte* left = a.bytes().data();
  const std::byte* right = b.bytes().data();
  const auto serves = [&](const Tensor& x) { return x.sole() && x.dtype() == result && x.dims() == dims; };
  Tensor y = serves(a) ? std::move(a) : serves(b) ? std::move(b) : unfilled(result, dims);
  std::byte* out = y.mutable_bytes().data();
  const std::size_t result_size = element_size(y);
  const auto run = [&](const std::array<std::int64_t, 3>& offset, std::int64_t first, std::int64_t count) {
    loop({left + to_size(offset[1] + first * walk.inner()[1]) * operand_size,
          right + to_size(offset[2] + first * walk.inner()[2]) * operand_size,
          out + to_size(offset[0] + first) * result_size, walk.inner()[1], walk.inner()[2], count},
         op);
  };
  constexpr std::int64_t part = 1 << 15;
  if (walk.runs() == 1) {
    for_each_range(parallel, walk.run_length(), part,
                   [&](std::int64_t first, std::int64_t last) { run({}, first, last - first); });
  } else {
    const std::int64_t runs = 1 + part / (1 + walk.run_length());
    for_each_range(parallel, walk.runs(), runs, [&](std::int64_t first, std::int64_t last) {
      walk.each_run(first, last, [&](const auto& offset, std::int64_t count) { run(offset, 0, count); });
    });
  }
  return y;
}

}  // namespace graft::inline v1::standard_kernels::detail
