#pragma once
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/visit.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Integers truncate towards zero.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) throw Error("integer division by zero");
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub()(T{0}, a);
    }
    return a / b;
  }
  auto packed(const auto& a, const auto& b) const { return a / b; }
};

/// The remainder has the sign of the divisor, as in Python's %; with fmod that of the dividend, as in C.
struct Mod {
  bool fmod;

  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T r = std::fmod(a, b);
      return !fmod && r != 0 && (r < 0) != (b < 0) ? r + b : r;
    } else {
      if (b == 0) throw Error("integer division by zero");
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
      const T r = a % b;
      return !fmod && r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};

/// NaN wins.
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

/// Logical shifts of unsigned integers.
struct BitShift {
  bool left;

  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      throw Error("only unsigned integers shift");
    } else {
      const auto bits = static_cast<std::uint64_t>(a);
      const auto by = static_cast<std::uint64_t>(b);
      return by >= 64 ? T{0} : static_cast<T>(left ? bits << by : bits >> by);
    }
  }
};

/// An operation on two numbers of one type: a loop for each type, and its parameters.
struct BinaryOperation {
  BinaryLoop (*loop)(DType);
  const void* state;
};

template <class Op>
BinaryLoop arithmetic_loop(DType dtype) {
  return visit_arithmetic(dtype, []<class T>() -> BinaryLoop { return run_binary<T, T, Op>; });
}

inline Tensor arithmetic(Tensor a, Tensor b, const BinaryOperation& operation, const ParallelFor* parallel = nullptr) {
  const DType dtype = a.dtype();
  if (b.dtype() != dtype) throw failure({"inputs of types ", dtype, " and ", b.dtype()});
  const DType wide = computed_in(dtype);
  return cast(broadcast(cast(std::move(a), wide), cast(std::move(b), wide), wide, operation.loop(wide), operation.state,
                        parallel),
              dtype);
}

/// op over the broadcast of two tensors of one numeric type.
template <class Op>
Tensor arithmetic(Tensor a, Tensor b, const Op& op = {}, const ParallelFor* parallel = nullptr) {
  return arithmetic(std::move(a), std::move(b), BinaryOperation{arithmetic_loop<Op>, &op}, parallel);
}

/// The same if b, called `name` in errors, broadcasts to the dims of a (ONNX unidirectional broadcasting). Throws Error
/// if it does not.
template <class Op>
Tensor arithmetic_onto(Tensor a, std::string_view name, Tensor b) {
  if (broadcast_dims(a.dims(), b.dims()) != a.dims())
    throw failure({"the ", name, " of ", b.dims(), " does not broadcast to ", a.dims()});
  return arithmetic<Op>(std::move(a), std::move(b));
}

/// x times a scalar of its own type.
inline Tensor times(Tensor x, double factor) {
  if (factor == 1) return x;
  const DType dtype = x.dtype();
  return arithmetic<Mul>(std::move(x), Tensor::of(dtype, {}, {factor}));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

template <class Op>
void binary(KernelContext& ctx) {
  ctx.set_output(0, detail::arithmetic<Op>(ctx.take_input(0), ctx.take_input(1), {}, ctx.parallel()));
}

template <class Op>
void variadic(KernelContext& ctx) {
  Tensor y = ctx.take_input(0);
  for (std::size_t i = 1; i < ctx.input_count(); ++i)
    y = detail::arithmetic<Op>(std::move(y), ctx.take_input(i), {}, ctx.parallel());
  ctx.set_output(0, std::move(y));
}

inline void mean(KernelContext& ctx) {
  const auto count = static_cast<float>(ctx.input_count());
  Tensor y = ctx.take_input(0);
  for (std::size_t i = 1; i < ctx.input_count(); ++i)
    y = detail::arithmetic<detail::Add>(std::move(y), ctx.take_input(i));
  const DType dtype = y.dtype();
  ctx.set_output(0, detail::arithmetic<detail::Div>(std::move(y), detail::cast(Tensor::scalar(count), dtype)));
}

inline void mod(KernelContext& ctx) {
  const detail::Mod op{ctx.attr<std::int64_t>("fmod") != 0};
  ctx.set_output(0, detail::arithmetic(ctx.take_input(0), ctx.take_input(1), op));
}

inline void bit_shift(KernelContext& ctx) {
  const detail::BitShift op{detail::choice(ctx, "direction", {"LEFT", "RIGHT"}) == "LEFT"};
  ctx.set_output(0, detail::arithmetic(ctx.take_input(0), ctx.take_input(1), op));
}

inline void add_arithmetic(Kernels& kernels) {
  kernels.add("Add", {7}, binary<detail::Add>)
      .add("Sub", {7}, binary<detail::Sub>)
      .add("Mul", {7}, binary<detail::Mul>)
      .add("Div", {7}, binary<detail::Div>)
      .add("Mod", mod)
      .add("BitShift", bit_shift)
      .add("Sum", {6}, variadic<detail::Add>)
      .add("Min", {6}, variadic<detail::Min>)
      .add("Max", {6}, variadic<detail::Max>)
      .add("Mean", {6}, mean);
}

}  // namespace graft::inline v1::standard_kernels
