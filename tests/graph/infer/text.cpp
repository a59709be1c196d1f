#include <graft/graph/infer/text.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("operators on strings") {
  CHECK(told("StringNormalizer", {"string[1,C]"}) == "string[1,?]");
  CHECK(told("StringNormalizer", {"string[1,2,3]"}) == "no: the strings must have rank 1 or 2");
  CHECK(told("StringSplit", {"string[N,3]"}, {}, {.outputs = 2}) == "string[N,3,?] i64[N,3]");
}

TEST_CASE("a vectorizer gives a weight for each entry") {
  CHECK(told("TfIdfVectorizer", {"i64[N,9]"}, {{"ngram_indexes", Ints{0, 3, 1}}}) == "f32[N,4]");
  CHECK(told("TfIdfVectorizer", {"i64[N,9]"}) == "no: ngram_indexes is missing");
}
