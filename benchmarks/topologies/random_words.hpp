#pragma once
#include <cstdint>
#include <random>

#include <graft/graph/tensor.hpp>

/// i64[1, tokens], words below 1000; the first ten words are a quarter of the text. The same for the same seed.
inline graft::Tensor random_words(std::int64_t tokens, unsigned seed) {
  std::mt19937 random(seed);
  graft::Tensor text(graft::DType::i64, {1, tokens});
  for (std::int64_t& word : text.mutable_data<std::int64_t>()) word = random() % (random() % 4 == 0 ? 10 : 1000);
  return text;
}
