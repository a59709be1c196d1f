#include <graft/graph/tensor_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a hash tells every byte, and how many there are") {
  for (const std::size_t size : {0u, 1u, 7u, 8u, 31u, 32u, 33u, 64u, 100u}) {
    std::vector<std::byte> bytes(size);
    std::set<std::uint64_t> seen{detail::hash_bytes(std::span<const std::byte>(bytes))};
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = std::byte{1};
      CHECK(seen.insert(detail::hash_bytes(std::span<const std::byte>(bytes))).second);
      bytes[i] = std::byte{0};
    }
    bytes.push_back(std::byte{0});
    CHECK(seen.insert(detail::hash_bytes(std::span<const std::byte>(bytes))).second);
    CHECK(seen.insert(detail::hash_bytes(std::span<const std::byte>(bytes), 1)).second);
  }
}

TEST_CASE("words that change places have another hash") {
  std::vector<std::uint64_t> words{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto hash = [&] { return detail::hash_bytes(std::as_bytes(std::span<const std::uint64_t>(words))); };
  std::set<std::uint64_t> seen{hash()};
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      std::swap(words[i], words[k]);
      CHECK(seen.insert(hash()).second);
      std::swap(words[i], words[k]);
    }
  }
}

TEST_CASE("tensors of one content have one hash, and not those of other dims or another dtype") {
  const Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(detail::hash(tensor) == detail::hash(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  CHECK(detail::hash(tensor) != detail::hash(tensor.reshaped({3, 2})));
  CHECK(detail::hash(Tensor(DType::i32, {2})) != detail::hash(Tensor(DType::f32, {2})));
}
