#pragma once
#include <graft/simplify/fuse/layer_normalization.hpp>

#include <algorithm>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/call.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace vocabulary {

GRAFT_INLINE bool are_last_axes(const Shape& whole, const Ints& over) {
  if (!whole.known() || over.empty() || over.size() > whole.rank()) return false;
  Ints sorted = over;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t first = whole.rank() - over.size();
  for (std::size_t i = 0; i < over.size(); ++i)
    if (sorted[i] != static_cast<std::int64_t>(first + i)) return false;
  return true;
}

GRAFT_INLINE bool is_over_last_axes(const Value& input, const Ints& over, const Value& factors, const Value& shifts) {
  const Shape whole = input.shape();
  if (!are_last_axes(whole, over)) return false;
  for (const Value* const value : {&factors, &shifts}) {
    if (value->shape().rank() != over.size()) return false;
    for (std::size_t i = 0; i < over.size(); ++i)
      if (!same_size(value->shape()[i], whole[whole.rank() - over.size() + i])) return false;
  }
  return true;
}

inline constexpr auto layer_normalization = rule<"layer-normalization">(
    normalization_form, is_layer_normalization,
    op<"LayerNormalization">(x, scale, bias).with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView layer_normalization = vocabulary::layer_normalization.view();

}  // namespace graft::inline v1
