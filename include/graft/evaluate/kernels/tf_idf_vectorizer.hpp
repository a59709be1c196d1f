#pragma once
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The n-grams of a pool of integers by their numbers: first those of one item, then those of two, and so on.
inline std::map<Ints, std::size_t> read_ngrams(const KernelContext& ctx) {
  const auto pool = ctx.attr<Ints>("pool_int64s");
  const auto counts = ctx.attr<Ints>("ngram_counts");
  std::map<Ints, std::size_t> ngrams;
  std::size_t number = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t length = to_int(i) + 1;
    const std::int64_t end = i + 1 < counts.size() ? counts[i + 1] : to_int(pool.size());
    if (counts[i] < 0 || end < counts[i] || end > to_int(pool.size()) || (end - counts[i]) % length != 0)
      throw failure({counts, " does not cut a pool of ", pool.size()}).field("ngram_counts");
    for (auto at = pool.begin() + counts[i]; at != pool.begin() + end; at += length)
      ngrams.emplace(Ints(at, at + length), number++);
  }
  return ngrams;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// The occurrences of each n-gram of a pool in rows [C] or [N, C] of integers, with its items up to max_skip_count + 1
/// apart: the count (TF), the weight if it occurs (IDF), or their product.
inline void tf_idf_vectorizer(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 1 || x.rank() > 2) throw detail::failure({x, " is neither a row nor rows"});
  const std::map<Ints, std::size_t> ngrams = detail::read_ngrams(ctx);
  const auto columns = ctx.attr<Ints>("ngram_indexes");
  const Floats weights = ctx.optional_attr<Floats>("weights").value_or(Floats(columns.size(), 1.0F));
  if (columns.size() < ngrams.size() || weights.size() != columns.size() || columns.empty() ||
      *std::min_element(columns.begin(), columns.end()) < 0) {
    throw detail::failure({columns.size(), " indices for ", ngrams.size(), " n-grams"}).field("ngram_indexes");
  }
  const auto mode = detail::choice(ctx, "mode", {"TF", "IDF", "TFIDF"});
  const std::int64_t count = x.dims().back(), rows = x.rank() == 2 ? x.dims()[0] : 1;
  const auto shortest = std::max<std::int64_t>(ctx.attr<std::int64_t>("min_gram_length"), 1);
  const auto longest = std::min(ctx.attr<std::int64_t>("max_gram_length"), count);
  const auto skips = std::min(ctx.attr<std::int64_t>("max_skip_count"), count);

  Dims dims = x.dims();
  dims.back() = detail::checked_sum(*std::max_element(columns.begin(), columns.end()), 1);
  Tensor y(DType::f32, dims);
  const Ints items = x.to<std::int64_t>();
  const auto out = y.mutable_data<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t length = shortest; length <= longest; ++length) {
      for (std::int64_t step = 1; step <= (length == 1 ? 1 : skips + 1); ++step) {
        for (std::int64_t first = 0; first + (length - 1) * step < count; ++first) {
          Ints ngram;
          for (std::int64_t i = 0; i < length; ++i)
            ngram.push_back(items[detail::to_size(row * count + first + i * step)]);
          const auto found = ngrams.find(ngram);
          if (found == ngrams.end()) continue;
          float& value = out[detail::to_size(row * dims.back() + columns[found->second])];
          const float weight = mode == "TF" ? 1 : weights[found->second];
          value = mode == "IDF" ? weight : value + weight;
        }
      }
    }
  }
  ctx.set_output(0, std::move(y));
}

inline void add_tf_idf_vectorizer(Kernels& kernels) { kernels.add("TfIdfVectorizer", tf_idf_vectorizer); }

}  // namespace graft::inline v1::standard_kernels
