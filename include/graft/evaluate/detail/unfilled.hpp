#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <graft/graph/memory.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Memory that is aligned to a cache line.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t size) : reservation_(size), memory_(::operator new(size, line)) {}
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;
  ~AlignedMemory() { ::operator delete(memory_, line); }

  void* get() const { return memory_; }

 private:
  static constexpr std::align_val_t line{64};

  Reservation reservation_;
  void* memory_;
};

/// An uninitialized tensor, for kernels that write every element. Throws Error for more than the machine's memory.
inline Tensor unfilled(DType dtype, Dims dims) {
  const std::size_t size = allocated_bytes(dtype, dims);
  const auto memory = std::make_shared<AlignedMemory>(size);
  return Tensor(dtype, std::move(dims), std::shared_ptr<void>(memory, memory->get()), size);
}

}  // namespace graft::inline v1::standard_kernels::detail
