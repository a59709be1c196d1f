#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::standard_kernels::detail {

[[noreturn]] inline void throw_unsupported(DType dtype) { throw failure({"data type ", dtype, " is not supported"}); }

/// Calls f.operator()<T>() with the T of Ts that is the dtype's C++ type. Throws Error if there is none.
template <class First, class... Rest, class F>
decltype(auto) visit(DType dtype, F&& f) {
  if constexpr (sizeof...(Rest) > 0) {
    if (dtype != dtype_of<First>) return visit<Rest...>(dtype, std::forward<F>(f));
  } else if (dtype != dtype_of<First>) {
    throw_unsupported(dtype);
  }
  return f.template operator()<First>();
}

/// The types for which arithmetic is compiled. Every other type is computed in one of these.
template <class F>
decltype(auto) visit_arithmetic(DType dtype, F&& f) {
  return visit<float, double, std::int32_t, std::int64_t, std::uint64_t>(dtype, std::forward<F>(f));
}

/// The arithmetic types of the other types. Results are cast back: half precision rounds once from float, and small
/// integers wrap in the same way as wide ones.
template <class T>
using Promoted = std::conditional_t<std::is_class_v<T>, float,
                                    std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>>;

template <class F>
decltype(auto) visit_promoted(DType dtype, F&& f) {
  return visit<Eigen::half, Eigen::bfloat16, bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
               std::uint32_t>(dtype, std::forward<F>(f));
}

/// The arithmetic type of a dtype.
inline DType computed_in(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16: return DType::f32;
    case DType::boolean:
    case DType::u8:
    case DType::i8:
    case DType::u16:
    case DType::i16: return DType::i32;
    case DType::u32: return DType::i64;
    default: return dtype;
  }
}

/// Every number with a C++ type.
template <class F>
decltype(auto) visit_native(DType dtype, F&& f) {
  if (computed_in(dtype) == dtype) return visit_arithmetic(dtype, std::forward<F>(f));
  return visit_promoted(dtype, std::forward<F>(f));
}

}  // namespace graft::inline v1::standard_kernels::detail
