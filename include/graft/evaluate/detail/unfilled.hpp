#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <graft/graph/memory.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A tensor of whatever was in memory, for kernels that write every element. Throws Error for more than the machine's
/// memory.
inline Tensor unfilled(DType dtype, Dims dims) {
  constexpr std::align_val_t line{64};
  const std::size_t size = allocated_bytes(dtype, dims);
  std::shared_ptr<void> storage(::operator new(size, line), [](void* memory) { ::operator delete(memory, line); });
  return Tensor(dtype, std::move(dims), std::move(storage), size);
}

}  // namespace graft::inline v1::standard_kernels::detail
