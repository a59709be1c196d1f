#pragma once
#include <cstddef>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1::detail {

/// The first elements of a numeric dtype, converted as Tensor::to() does. Throws Error for complex numbers and for
/// dtypes that are not dense.
template <Number T>
void read_numbers(DType dtype, const std::byte* bytes, std::span<T> values);

/// Writes elements, converted as Tensor::of() does. Throws Error like read_numbers().
template <Number T>
void write_numbers(DType dtype, std::byte* bytes, std::span<const T> values);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/numbers.ipp>
#endif
