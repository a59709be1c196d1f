#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// Mixes one more word into a hash (the finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash += word + 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

/// Hashes four words at a time, each into a separate hash, which a processor mixes in parallel.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t hash = 0);

/// The hash of dtype, dims and bytes.
std::uint64_t hash(const Tensor& tensor);

}  // namespace graft::inline v1::detail
