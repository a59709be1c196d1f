#pragma once
#include <cmath>
#include <concepts>

#include <graft/evaluate/kernels/arithmetic.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Integers by squaring, with wrapping; a negative exponent truncates the reciprocal.
struct Pow {
  template <class T>
  T operator()(T base, T exponent) const {
    if constexpr (std::floating_point<T>) {
      return exponent == 2 ? base * base : std::pow(base, exponent);
    } else {
      if (std::is_signed_v<T> && exponent < 0) {
        if (base == 0) throw Error("zero to a negative power");
        if (base == 1) return 1;
        if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? T{1} : base;
        return 0;
      }
      T result = 1;
      for (; exponent > 0; exponent = static_cast<T>(exponent / 2)) {
        if (exponent % 2 != 0) result = Mul()(result, base);
        base = Mul()(base, base);
      }
      return result;
    }
  }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// The result has the type of the base, for any type of the exponent.
inline void pow(KernelContext& ctx) {
  Tensor base = ctx.take_input(0);
  Tensor exponent = ctx.take_input(1);
  const DType dtype = base.dtype();
  const bool fractional = !is_float(dtype) && is_float(exponent.dtype());
  const DType common = fractional ? DType::f64 : dtype;
  Tensor y = detail::arithmetic<detail::Pow>(detail::cast(std::move(base), common),
                                             detail::cast(std::move(exponent), common));
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_pow(Kernels& kernels) { kernels.add("Pow", {7}, pow); }

}  // namespace graft::inline v1::standard_kernels
