#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/evaluate/detail/visit.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// y = f(x) along an array; x and y may be the same. Only this function knows the types.
using UnaryLoop = void (*)(const void* x, void* y, std::int64_t count, const void* f);

/// f takes one number, and may also have a form for Eigen arrays of floats, packed().
template <class T, class F>
void run_unary(const void* from, void* to, std::int64_t count, const void* state) {
  const F& f = *static_cast<const F*>(state);
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if constexpr (std::same_as<T, float> && requires(ConstArray<T> a) { f.packed(a); }) {
    // Computes whole blocks, with the last one padded, so that a result does not depend on its position.
    using Block = Eigen::Array<float, 64, 1>;
    std::int64_t i = 0;
    for (; i + Block::SizeAtCompileTime <= count; i += Block::SizeAtCompileTime)
      Eigen::Map<Block>(y + i) = f.packed(Eigen::Map<const Block>(x + i));
    if (i == count) return;
    Block rest = Block::Zero();
    std::copy(x + i, x + count, rest.data());
    rest = f.packed(Eigen::Map<const Block>(rest.data()));
    std::copy_n(rest.data(), count - i, y + i);
  } else {
    for (std::int64_t i = 0; i < count; ++i) y[i] = cast_number<T>(f(x[i]));
  }
}

/// Works in place if this is the last use of x.
inline Tensor map(Tensor x, UnaryLoop (*loop)(DType), const void* f, const ParallelFor* parallel) {
  const DType dtype = x.dtype();
  const UnaryLoop run = loop(computed_in(dtype));
  x = cast(std::move(x), computed_in(dtype));
  const std::byte* from = x.bytes().data();
  Tensor y = x.sole() ? std::move(x) : unfilled(x.dtype(), x.dims());
  std::byte* const to = y.mutable_bytes().data();
  const std::size_t size = element_size(y);
  for_each_range(parallel, y.size(), 1 << 14, [&](std::int64_t first, std::int64_t last) {
    run(from + to_size(first) * size, to + to_size(first) * size, last - first, f);
  });
  return cast(std::move(y), dtype);
}

template <class F, class... Ts>
UnaryLoop unary_loop(DType dtype) {
  return visit<Ts...>(dtype, []<class T>() -> UnaryLoop { return run_unary<T, F>; });
}

/// x = f(x) over a tensor whose type, or arithmetic type, is one of Ts.
template <class... Ts, class F>
Tensor map(Tensor x, const F& f, const ParallelFor* parallel = nullptr) {
  return map(std::move(x), unary_loop<F, Ts...>, &f, parallel);
}

/// For functions of real numbers.
template <class F>
Tensor map_floats(Tensor x, const F& f, const ParallelFor* parallel = nullptr) {
  if (!is_float(x.dtype())) throw_unsupported(x.dtype());
  return map<float, double>(std::move(x), f, parallel);
}

/// For functions of any number.
template <class F>
Tensor map_numbers(Tensor x, const F& f, const ParallelFor* parallel = nullptr) {
  return map<float, double, std::int32_t, std::int64_t, std::uint64_t>(std::move(x), f, parallel);
}

/// The kernel of a function of one real number.
template <class F>
Kernel on_floats(F) {
  return +[](KernelContext& ctx) { ctx.set_output(0, map_floats(ctx.take_input(0), F(), ctx.parallel())); };
}

template <class F>
Kernel on_numbers(F) {
  return +[](KernelContext& ctx) { ctx.set_output(0, map_numbers(ctx.take_input(0), F(), ctx.parallel())); };
}

/// The kernel of f(x, alpha), where alpha is an attribute.
template <class F>
Kernel with_alpha(F) {
  return +[](KernelContext& ctx) {
    const auto f = [alpha = ctx.attr<float>("alpha")](auto x) { return F()(x, static_cast<decltype(x)>(alpha)); };
    ctx.set_output(0, map_floats(ctx.take_input(0), f, ctx.parallel()));
  };
}

}  // namespace graft::inline v1::standard_kernels::detail
