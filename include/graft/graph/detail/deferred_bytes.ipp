#pragma once
#include <graft/graph/detail/deferred_bytes.hpp>

#include <span>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/memory.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE const std::byte* DeferredBytes::read_now() const {
  const std::lock_guard lock(mutex_);
  if (bytes_ == nullptr) {
    std::unique_ptr<std::byte[]> bytes;
    try {
      if (const std::size_t limit = AllocationLimit::current(); size_ > limit) {
        const bool is_memory = limit == physical_memory();
        throw Error("has " + std::to_string(size_) + " bytes for it, " +
                    (is_memory ? "the machine has " : "the limit is ") + std::to_string(limit));
      }
      bytes = std::make_unique_for_overwrite<std::byte[]>(size_);
      source_->read(offset_, std::span(bytes.get(), size_));
    } catch (const Error& error) {
      Error named(name_ + " " + error.message());
      if (!tensor_.empty()) named.field("tensor '" + tensor_ + "'");
      throw UnreadableTensor(std::move(named));
    }
    bytes_ = std::move(bytes);
    read_.store(bytes_.get(), std::memory_order_release);
  }
  return bytes_.get();
}

}  // namespace graft::inline v1::detail
