#pragma once
#include <graft/config.hpp>
#include <graft/graph/detail/pool.hpp>

#include <algorithm>

namespace graft::inline v1::detail {

GRAFT_INLINE void* Pool::allocate(std::size_t bytes) {
  bytes = (bytes + alignof(void*) - 1) / alignof(void*) * alignof(void*);
  if (bytes > left_) refill(bytes);
  std::byte* const result = at_;
  at_ += bytes;
  left_ -= bytes;
  return result;
}

GRAFT_INLINE void Pool::refill(std::size_t bytes) {
  const std::size_t size = std::max(bytes, chunk_);
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  at_ = chunks_.back().get();
  left_ = size;
  reserved_ += size;
  chunk_ = std::min<std::size_t>(chunk_ * 2, 64 * 1024);  // wastes little, even for a small graph
}

}  // namespace graft::inline v1::detail
