#pragma once
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/infer/einsum.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// What names an axis: a letter, or below zero an axis that "..." covers, counted from its last, -1.
using Labels = std::vector<int>;

inline bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels of a term whose "..." covers so many axes.
inline Labels term_labels(const infer::EinsumTerm& term, std::size_t covered) {
  Labels labels(term.letters.begin(), term.letters.end());
  if (!term.ellipsis) return labels;
  Labels hidden;
  for (int label = -static_cast<int>(covered); label < 0; ++label) hidden.push_back(label);
  labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(*term.ellipsis), hidden.begin(), hidden.end());
  return labels;
}

/// A tensor whose axes have labels.
struct Labelled {
  Tensor x;
  Labels labels;

  std::int64_t extent(int label) const {
    return x.dims()[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin())];
  }

  /// With each label once: along a repeated one only the diagonal is left.
  Labelled diagonal() const {
    const Dims own = contiguous_strides(x.dims());
    Labelled y;
    Dims dims, strides;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto at = static_cast<std::size_t>(std::find(y.labels.begin(), y.labels.end(), labels[i]) -
                                               y.labels.begin());
      if (at == y.labels.size()) {
        y.labels.push_back(labels[i]);
        dims.push_back(x.dims()[i]);
        strides.push_back(own[i]);
      } else {
        if (dims[at] != x.dims()[i]) throw failure({"a letter stands for both ", dims[at], " and ", x.dims()[i]});
        strides[at] += own[i];
      }
    }
    y.x = y.labels.size() == labels.size() ? x : gather_strided(x, dims, 0, strides);
    return y;
  }

  /// Without the axes that broadcast: those of extent 1 whose label has another extent elsewhere.
  Labelled squeezed(const std::map<int, std::int64_t>& extents) const {
    Labelled y;
    Dims dims;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (x.dims()[i] == 1 && extents.at(labels[i]) != 1) continue;
      y.labels.push_back(labels[i]);
      dims.push_back(x.dims()[i]);
    }
    y.x = x.reshaped(dims);
    return y;
  }

  /// With its axes in the order of these groups, each of which becomes one axis.
  Tensor grouped(const std::vector<Labels>& groups) const {
    std::vector<std::size_t> order;
    Dims dims;
    for (const Labels& group : groups) {
      dims.push_back(1);
      for (const int label : group) {
        order.push_back(static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
        dims.back() *= x.dims()[order.back()];
      }
    }
    return permuted(x, order).reshaped(dims);
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
