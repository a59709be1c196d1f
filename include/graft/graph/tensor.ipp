#pragma once
#include <graft/graph/tensor.hpp>

#include <cstring>

#include <graft/config.hpp>
#include <graft/graph/detail/deferred_bytes.hpp>
#include <graft/graph/memory.hpp>

namespace graft::inline v1 {

namespace detail {

/// The storage of a tensor that owns its bytes.
struct OwnBytes {
  Reservation reservation;
  std::string bytes;
};

}  // namespace detail

GRAFT_INLINE Tensor::Tensor(DType dtype, Dims dims) : Tensor(dtype, std::move(dims), Unfilled{}) {
  hold(std::string(allocated_bytes(dtype_, dims_), '\0'));
}

GRAFT_INLINE Tensor::Tensor(DType dtype, Dims dims, std::shared_ptr<void> storage, std::size_t storage_size)
    : Tensor(dtype, std::move(dims), Unfilled{}) {
  if (storage_size < byte_count_) throw wrong_size(storage_size);
  data_ = static_cast<std::byte*>(storage.get());
  check_alignment();
  writable_ = true;
  storage_ = std::move(storage);
}

GRAFT_INLINE Tensor Tensor::own(DType dtype, Dims dims, std::string bytes) {
  Tensor tensor(dtype, std::move(dims), Unfilled{});
  if (bytes.size() != tensor.byte_count_) throw tensor.wrong_size(bytes.size());
  tensor.hold(std::move(bytes));
  return tensor;
}

GRAFT_INLINE Tensor Tensor::borrow(DType dtype, Dims dims, const void* bytes, std::shared_ptr<const void> keep_alive) {
  Tensor tensor(dtype, std::move(dims), Unfilled{});
  tensor.data_ = static_cast<std::byte*>(const_cast<void*>(bytes));
  tensor.check_alignment();
  tensor.storage_ = std::const_pointer_cast<void>(std::move(keep_alive));
  return tensor;
}

GRAFT_INLINE Tensor Tensor::defer(DType dtype, Dims dims, std::shared_ptr<const detail::DeferredBytes> bytes) {
  Tensor tensor(dtype, std::move(dims), Unfilled{});
  if (bytes->size() != tensor.byte_count_) throw tensor.wrong_size(bytes->size());
  if (tensor.byte_count_ != 0) tensor.deferred_ = bytes.get();
  tensor.storage_ = std::const_pointer_cast<detail::DeferredBytes>(std::move(bytes));
  return tensor;
}

GRAFT_INLINE std::span<std::byte> Tensor::mutable_bytes() {
  if (!sole() && byte_count_ != 0) hold(std::string(text(), byte_count_));
  return {data_, byte_count_};
}

GRAFT_INLINE Tensor Tensor::reshaped(Dims dims) const {
  if (element_count(dims) != size_) throw Error(describe() + " cannot take the dims " + to_string(dims));
  Tensor tensor = *this;
  tensor.dims_ = std::move(dims);
  return tensor;
}

GRAFT_INLINE bool Tensor::same_bytes(const Tensor& other) const {
  return dtype_ == other.dtype_ && dims_ == other.dims_ &&
         (byte_count_ == 0 || begin() == other.begin() || std::memcmp(begin(), other.begin(), byte_count_) == 0);
}

GRAFT_INLINE std::string Tensor::release() {
  Tensor taken = std::exchange(*this, Tensor());
  if (taken.owned_ != nullptr && taken.storage_.use_count() == 1) return std::move(*taken.owned_);
  return taken.byte_count_ == 0 ? std::string() : std::string(taken.text(), taken.byte_count_);
}

GRAFT_INLINE void Tensor::hold(std::string bytes) {
  const std::size_t size = bytes.size();
  auto holder = std::make_shared<detail::OwnBytes>(detail::OwnBytes{Reservation(size), std::move(bytes)});
  owned_ = &holder->bytes;
  data_ = reinterpret_cast<std::byte*>(owned_->data());
  deferred_ = nullptr;
  writable_ = true;
  storage_ = std::move(holder);
}

GRAFT_INLINE const std::byte* Tensor::read_deferred() const { return deferred_->get(); }

GRAFT_INLINE void Tensor::check_count(std::size_t given) const {
  if (given == static_cast<std::size_t>(size_)) return;
  throw Error(describe() + ": expected " + std::to_string(size_) + " values, found " + std::to_string(given));
}

GRAFT_INLINE void Tensor::check_alignment() const {
  if (byte_count_ == 0 || is_aligned(dtype_, data_)) return;
  throw Error("the bytes of " + describe() + " are misaligned");
}

}  // namespace graft::inline v1
