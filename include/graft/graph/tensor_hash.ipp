#pragma once
#include <graft/config.hpp>
#include <graft/graph/tensor_hash.hpp>

#include <array>
#include <cstring>

namespace graft::inline v1::detail {

GRAFT_INLINE std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t hash) {
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

GRAFT_INLINE std::uint64_t hash(const Tensor& tensor) {
  std::uint64_t seed = mixed(static_cast<std::uint64_t>(tensor.dtype()), tensor.rank());
  for (const std::int64_t dim : tensor.dims()) seed = mixed(seed, static_cast<std::uint64_t>(dim));
  return hash_bytes(tensor.bytes(), seed);
}

}  // namespace graft::inline v1::detail
