#pragma once
#include <cstddef>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1::detail {

/// Reads elements of a numeric dtype from the start, converted as in Tensor::to(). Throws Error for complex numbers and
/// for dtypes that are not dense.
template <Number T>
void read_numbers(DType dtype, const std::byte* bytes, std::span<T> values);

/// Writes elements, converted as in Tensor::of(). Throws Error as read_numbers() does.
template <Number T>
void write_numbers(DType dtype, std::byte* bytes, std::span<const T> values);

}  // namespace graft::inline v1::detail
