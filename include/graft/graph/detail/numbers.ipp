#pragma once
#include <graft/graph/detail/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef GRAFT_COMPILED
#include <Eigen/Core>  // for the instantiations below
#endif

#include <graft/graph/detail/elements.hpp>

namespace graft::inline v1::detail {

/// Whether elements need no conversion. A byte of a bool tensor may be neither 0 nor 1.
template <Number T>
constexpr bool has_elements_of(DType dtype) {
  return dtype == dtype_of<T> && dtype != DType::boolean;
}

inline void copy_elements(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

template <Number T>
void read_numbers(DType dtype, const std::byte* bytes, std::span<T> values) {
  if (has_elements_of<T>(dtype)) return copy_elements(values.data(), bytes, values.size_bytes());
  with_elements(dtype, const_cast<std::byte*>(bytes), [&](auto elements) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert<T>(elements.read(i));
  });
}

template <Number T>
void write_numbers(DType dtype, std::byte* bytes, std::span<const T> values) {
  if (has_elements_of<T>(dtype)) return copy_elements(bytes, values.data(), values.size_bytes());
  with_elements(dtype, bytes, [&](auto elements) {
    for (std::size_t i = 0; i < values.size(); ++i) elements.write(i, values[i]);
  });
}

#ifdef GRAFT_COMPILED
#define GRAFT_INSTANTIATE(T)                                              \
  template void read_numbers<T>(DType, const std::byte*, std::span<T>);   \
  template void write_numbers<T>(DType, std::byte*, std::span<const T>)
GRAFT_INSTANTIATE(float);
GRAFT_INSTANTIATE(double);
GRAFT_INSTANTIATE(Eigen::half);
GRAFT_INSTANTIATE(Eigen::bfloat16);
GRAFT_INSTANTIATE(bool);
GRAFT_INSTANTIATE(std::uint8_t);
GRAFT_INSTANTIATE(std::int8_t);
GRAFT_INSTANTIATE(std::uint16_t);
GRAFT_INSTANTIATE(std::int16_t);
GRAFT_INSTANTIATE(std::uint32_t);
GRAFT_INSTANTIATE(std::int32_t);
GRAFT_INSTANTIATE(std::uint64_t);
GRAFT_INSTANTIATE(std::int64_t);
#undef GRAFT_INSTANTIATE
#endif

}  // namespace graft::inline v1::detail
