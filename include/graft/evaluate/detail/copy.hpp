#pragma once
#include <cstddef>
#include <cstring>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/strided_loop.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The bytes of an element. Throws Error for types of less than 8 bits, and for strings: their elements have no
/// address.
inline std::size_t element_size(const Tensor& tensor) {
  const std::size_t width = tensor.dtype() == DType::string ? 0 : bits(tensor.dtype());
  if (width < 8) throw failure({"data type ", tensor.dtype(), " is not supported"});
  return width / 8;
}

template <std::size_t Size>
void copy_elements(const StridedLoop<2>& loop, std::byte* to, const std::byte* from) {
  const std::int64_t to_stride = loop.inner()[0];
  const std::int64_t from_stride = loop.inner()[1];
  constexpr auto size = static_cast<std::int64_t>(Size);
  loop.each_run([&](const auto& offsets, std::int64_t count) {
    std::byte* y = to + offsets[0] * size;
    const std::byte* x = from + offsets[1] * size;
    if (to_stride == 1 && from_stride == 1) {
      std::memcpy(y, x, to_size(count * size));
    } else {
      for (std::int64_t i = 0; i < count; ++i) std::memcpy(y + i * to_stride * size, x + i * from_stride * size, Size);
    }
  });
}

/// Copies extents elements of `size` bytes (a power of two up to 16) between two strided tensors.
inline void copy_strided(std::size_t size, const Dims& extents, std::byte* to, const Dims& to_strides,
                         const std::byte* from, const Dims& from_strides) {
  const StridedLoop<2> loop(extents, {to_strides, from_strides});
  switch (size) {
    case 1: return copy_elements<1>(loop, to, from);
    case 2: return copy_elements<2>(loop, to, from);
    case 4: return copy_elements<4>(loop, to, from);
    case 8: return copy_elements<8>(loop, to, from);
    default: return copy_elements<16>(loop, to, from);
  }
}

/// A new tensor of the given dims whose element at position p is x at start + p * strides (in elements).
inline Tensor gather_strided(const Tensor& x, const Dims& dims, std::int64_t start, const Dims& strides) {
  const std::size_t size = element_size(x);
  Tensor y = unfilled(x.dtype(), dims);
  copy_strided(size, dims, y.mutable_bytes().data(), contiguous_strides(dims), x.bytes().data() + start * to_int(size),
               strides);
  return y;
}

}  // namespace graft::inline v1::standard_kernels::detail
