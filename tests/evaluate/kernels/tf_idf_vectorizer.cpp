#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// The pool has 2 and 3, then the pairs 5 4, 5 6 and 1 1; a row is 1 1 3 3 3 7, another 5 4 5 6 5 6.
const Tensor rows = Tensor::of<std::int64_t>({2, 6}, {1, 1, 3, 3, 3, 7, 5, 4, 5, 6, 5, 6});

Tensor count(const Tensor& x, const char* mode, int shortest, int longest, int skips) {
  return run(9, "TfIdfVectorizer", {x},
             {{"mode", mode},
              {"min_gram_length", shortest},
              {"max_gram_length", longest},
              {"max_skip_count", skips},
              {"ngram_counts", Ints{0, 2}},
              {"ngram_indexes", Ints{0, 1, 2, 4, 3}},
              {"pool_int64s", Ints{2, 3, 5, 4, 5, 6, 1, 1}},
              {"weights", Floats{1, 10, 100, 1000, 10000}}});
}

}  // namespace

TEST_CASE("TfIdfVectorizer counts n-grams of a pool in each row") {
  CHECK(same(count(rows, "TF", 1, 2, 0), Tensor::of<float>({2, 5}, {0, 3, 0, 1, 0, 0, 0, 1, 0, 2})));
  CHECK(same(count(rows, "TF", 2, 2, 0), Tensor::of<float>({2, 5}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 2})));
  CHECK(same(count(rows, "TF", 1, 1, 5), Tensor::of<float>({2, 5}, {0, 3, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("TfIdfVectorizer skips between items") {
  // 5 6 occurs twice in a row, and twice three items apart.
  CHECK(same(count(rows, "TF", 2, 2, 2), Tensor::of<float>({2, 5}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 4})));
}

TEST_CASE("TfIdfVectorizer weighs") {
  CHECK(same(count(rows, "IDF", 1, 2, 0), Tensor::of<float>({2, 5}, {0, 10, 0, 10000, 0, 0, 0, 100, 0, 1000})));
  CHECK(same(count(rows, "TFIDF", 1, 2, 0), Tensor::of<float>({2, 5}, {0, 30, 0, 10000, 0, 0, 0, 100, 0, 2000})));
  CHECK(count(ints({3}), "TF", 1, 2, 0).dims() == Dims{5});
  CHECK_THROWS_AS(count(rows, "mean", 1, 2, 0), Error);
}
