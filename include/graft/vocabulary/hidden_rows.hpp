#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::vocabulary {

/// Whether `length` adjacent elements are all -infinity.
template <class T>
bool has_infinite_run(std::span<const T> elements, std::ptrdiff_t length) {
  for (auto run = elements.begin(); run != elements.end(); run += length)
    if (std::all_of(run, run + length, [](T each) { return std::isinf(each) && each < 0; })) return true;
  return false;
}

/// The same for a mask that is added to scores.
inline bool hides_runs(const Tensor& mask, std::ptrdiff_t length) {
  if (mask.dtype() == DType::f32) return has_infinite_run(mask.data<float>(), length);  // masks may be large
  const std::vector<double> added = mask.to<double>();
  return has_infinite_run(std::span(added), length);
}

/// Whether a query may see no key. The added mask may be -infinity in a whole row or, if the attention is causal, in
/// all of a row up to some key. A constant shows its elements. A Where between other numbers is never -infinity, for
/// any dims.
inline bool may_hide_rows(const Value& mask, bool is_causal) {
  if (const auto constant = mask.constant()) {
    const bool by_element = is_causal || constant->rank() == 0;
    return hides_runs(*constant, by_element ? 1 : static_cast<std::ptrdiff_t>(constant->dims().back()));
  }
  const Node* node = mask.producer();
  for (int i = 0; node != nullptr && i < 16; ++i) {  // more than before any mask
    if (!moves_elements(*node) || node->input(0) == nullptr) break;
    node = node->input(0)->producer();
  }
  if (node == nullptr || !node->is("Where")) return true;
  for (const std::size_t branch : {std::size_t{1}, std::size_t{2}}) {
    const auto chosen = node->input(branch) == nullptr ? std::nullopt : node->input(branch)->constant();
    if (!chosen || hides_runs(*chosen, 1)) return true;
  }
  return false;
}

/// `weighted`, with 0 for queries whose scores all get -infinity. The addend is [..., queries, keys]. Since opset 18.
inline Value& with_zeros_for_hidden_rows(Rewriter& rewriter, Value& weighted, Value& added) {
  const auto number = [&](double each) -> Value& {
    return rewriter.constant(Tensor::scalar(added.dtype(), each), "number");
  };
  Value& highest = rewriter.op("ReduceMax", {&added, &rewriter.ints({-1})});
  Value& sees_none = rewriter.op("Equal", {&highest, &number(-std::numeric_limits<double>::infinity())});
  return rewriter.op("Where", {&sees_none, &number(0), &weighted});
}

}  // namespace graft::inline v1::vocabulary
