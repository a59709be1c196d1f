#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Four words at a time, each into a hash of its own: a processor mixes these side by side.
template <class = void>
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t hash = 0) {
  std::uint64_t word = 0;
  std::size_t at = 0;
  std::array<std::uint64_t, 4> words, hashes{0, 1, 2, 3};
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < words.size(); ++i) hashes[i] = mixed(hashes[i], words[i]);
  }
  for (const std::uint64_t each : hashes) hash = mixed(hash, each);
  for (; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    hash = mixed(hash, word);
  }
  word = 0;
  if (at < bytes.size()) std::memcpy(&word, bytes.data() + at, bytes.size() - at);
  return mixed(mixed(hash, word), bytes.size());
}

/// Of dtype, dims and bytes.
template <class = void>
std::uint64_t hash(const Tensor& tensor) {
  std::uint64_t seed = mixed(static_cast<std::uint64_t>(tensor.dtype()), tensor.rank());
  for (const std::int64_t dim : tensor.dims()) seed = mixed(seed, static_cast<std::uint64_t>(dim));
  return hash_bytes(tensor.bytes(), seed);
}

}  // namespace graft::inline v1::detail
