#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// Operators on strings and on vocabularies of strings.
namespace graft::inline v1::infer {

/// StringNormalizer. [C] or [1, C], without the stopwords.
inline Verdict string_normalizer(InferContext& c) {
  c.depend_on_data();
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 1 && x.rank() != 2) return Verdict::no("the strings must have rank 1 or 2");
  std::vector<Dim> out = to_dims(x);
  out.back() = Dim();
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// StringSplit. Outputs: the parts on a new last axis, whose extent is the greatest number of parts; and the numbers of
/// parts.
inline Verdict string_split(InferContext& c) {
  c.depend_on_data();
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  std::vector<Dim> out = to_dims(x);
  out.emplace_back();
  c.set_shape(0, std::move(out));
  c.set_shape(1, x);
  return Verdict::yes();
}

/// TfIdfVectorizer. [C] or [N, C] into one weight for each entry of ngram_indexes.
inline Verdict tf_idf_vectorizer(InferContext& c) {
  const Shape x = c.shape(0);
  const auto indexes = c.attr<Ints>("ngram_indexes");
  if (!indexes || indexes->empty()) return Verdict::no("ngram_indexes is missing");
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 1 && x.rank() != 2) return Verdict::no("the input must have rank 1 or 2");
  std::vector<Dim> out = to_dims(x);
  out.back() = add(Dim(*std::max_element(indexes->begin(), indexes->end())), Dim(1));
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
