#include "tracked_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> live_bytes{0}, max_bytes{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t size = malloc_usable_size(memory);
  const std::size_t now = live_bytes.fetch_add(size) + size;
  for (std::size_t most = max_bytes; most < now && !max_bytes.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void release(void* memory) {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

std::size_t TrackedMemory::live() { return live_bytes; }
std::size_t TrackedMemory::peak() { return max_bytes; }
void TrackedMemory::restart() { max_bytes = live_bytes.load(); }

// The other forms, for arrays and those that do not throw, call these.
void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
