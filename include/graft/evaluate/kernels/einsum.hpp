#pragma once
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/infer/einsum.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// The label of an axis: a letter, or a negative number for an axis of "...", counted from its last, -1.
using Labels = std::vector<int>;

inline bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels of a term whose "..." covers this many axes.
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

  /// Reduces repeated labels to the diagonal, so that each occurs once.
  Labelled diagonal() const {
    const Dims own = contiguous_strides(x.dims());
    Labelled y;
    Dims dims, strides;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto at =
          static_cast<std::size_t>(std::find(y.labels.begin(), y.labels.end(), labels[i]) - y.labels.begin());
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

  /// Removes the axes that broadcast: those of extent 1 whose label has another extent elsewhere.
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

  /// Orders the axes by these groups, and merges each group to one axis.
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

/// Sums over all other axes than `keep`, as a product with ones.
inline Labelled summed(const Labelled& x, const Labels& kept) {
  Labels left, out;
  for (const int label : x.labels) (contains(kept, label) ? left : out).push_back(label);
  if (out.empty()) return x;
  const Tensor rows = x.grouped({left, out});
  const Tensor one = cast(Tensor::scalar(1.0F), x.x.dtype());
  const Tensor sums = multiply_any(rows, gather_strided(one, {rows.dims()[1], 1}, 0, {0, 0}), false);
  Dims dims;
  for (const int label : left) dims.push_back(x.extent(label));
  return {sums.reshaped(dims), left};
}

/// The product of two tensors as matrices: sums over common labels that are not needed later.
inline Labelled contract(const Labelled& a, const Labelled& b, const Labels& needed) {
  const auto reduced = [&](const Labelled& x, const Labelled& other) {
    Labels kept = needed;
    kept.insert(kept.end(), other.labels.begin(), other.labels.end());
    return summed(x, kept);
  };
  const Labelled left = reduced(a, b), right = reduced(b, a);
  Labels batch, rows, columns, inner;
  for (const int label : left.labels) {
    const bool shared = contains(right.labels, label);
    (!shared ? rows : contains(needed, label) ? batch : inner).push_back(label);
  }
  for (const int label : right.labels) {
    if (!contains(left.labels, label)) columns.push_back(label);
  }
  const Tensor y = multiply_any(left.grouped({batch, rows, inner}), right.grouped({batch, inner, columns}), false);
  Labelled result;
  Dims dims;
  for (const auto& [labels, from] : {std::pair(&batch, &left), std::pair(&rows, &left), std::pair(&columns, &right)}) {
    for (const int label : *labels) {
      result.labels.push_back(label);
      dims.push_back(from->extent(label));
    }
  }
  result.x = y.reshaped(dims);
  return result;
}

}  // namespace detail

/// NumPy's einsum, operand after operand.
inline void einsum(KernelContext& ctx) {
  using infer::EinsumTerm;
  if (ctx.input_count() == 0) throw Error("there are no inputs");
  const auto equation = ctx.attr<std::string_view>("equation");
  const std::size_t arrow = equation.find("->");
  std::string_view terms = equation.substr(0, arrow);
  std::vector<detail::Labelled> operands;
  std::map<int, std::int64_t> extents;
  std::map<int, int> counts;
  std::size_t covered = 0;
  ctx.input(0);
  for (std::size_t i = 0; i < ctx.input_count(); ++i) {
    const std::size_t comma = terms.find(',');
    const auto term = EinsumTerm::parse(terms.substr(0, comma));
    terms.remove_prefix(comma == std::string_view::npos ? terms.size() : comma + 1);
    const Tensor& x = ctx.input(i);
    const bool last = comma == std::string_view::npos;
    if (!term || last != (i + 1 == ctx.input_count()) || x.rank() < term->letters.size() ||
        (!term->ellipsis && x.rank() != term->letters.size())) {
      throw detail::failure({equation, " does not fit input ", i, ", ", x}).field("equation");
    }
    const std::size_t hidden = x.rank() - term->letters.size();
    covered = std::max(covered, hidden);
    for (const char letter : term->letters) ++counts[letter];
    operands.push_back(detail::Labelled{x, detail::term_labels(*term, hidden)}.diagonal());
    for (const int label : operands.back().labels) {
      const std::int64_t extent = operands.back().extent(label);
      std::int64_t& common = extents.try_emplace(label, extent).first->second;
      if (common != extent && common != 1 && extent != 1)
        throw detail::failure({"a label stands for both ", common, " and ", extent}).field("equation");
      if (common == 1) common = extent;
    }
  }

  EinsumTerm result;
  result.ellipsis = 0;
  for (const auto& [letter, count] : counts) {
    if (count == 1) result.letters += static_cast<char>(letter);
  }
  if (arrow != std::string_view::npos) {
    const auto parsed = EinsumTerm::parse(equation.substr(arrow + 2));
    if (!parsed || (covered > 0 && !parsed->ellipsis))
      throw detail::failure({equation, " has no such output"}).field("equation");
    result = *parsed;
  }
  const detail::Labels wanted = detail::term_labels(result, covered);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (extents.count(wanted[i]) == 0 || std::count(wanted.begin(), wanted.end(), wanted[i]) > 1)
      throw detail::failure({equation, " has no such output"}).field("equation");
  }

  for (detail::Labelled& operand : operands) operand = operand.squeezed(extents);
  detail::Labelled y = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    detail::Labels needed = wanted;
    for (std::size_t k = i + 1; k < operands.size(); ++k)
      needed.insert(needed.end(), operands[k].labels.begin(), operands[k].labels.end());
    y = detail::contract(y, operands[i], needed);
  }
  std::vector<detail::Labels> order;
  for (const int label : wanted) order.push_back({label});
  ctx.set_output(0, detail::summed(y, wanted).grouped(order));
}

inline void add_einsum(Kernels& kernels) { kernels.add("Einsum", einsum); }

}  // namespace graft::inline v1::standard_kernels
