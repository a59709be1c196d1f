#pragma once
#include <graft/graph/detail/deferred_bytes.hpp>

#include <span>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE const std::byte* DeferredBytes::read_now() const {
  const std::lock_guard lock(mutex_);
  if (bytes_ == nullptr) {
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(size_);
    try {
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
