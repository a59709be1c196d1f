#pragma once
#include <graft/graph/infer/known_contents.hpp>

#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/integer_math.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<Ints> KnownContents::ints(const Value& value) {
  const Contents* const found = contents(value);
  return found ? found->ints() : std::nullopt;
}

GRAFT_INLINE std::optional<Tensor> KnownContents::tensor(const Value& value) const {
  if (assume_defaults_ && value.initializer() != nullptr && value.dtype() != DType::string) {
    return read_tensor(*value.initializer(), value.graph().model().external_data());
  }
  return value.constant();
}

GRAFT_INLINE Integer KnownContents::integer_of(const infer::Sum& sum) {
  std::string symbol = infer::to_symbol(sum);
  if (symbol.size() > infer::max_sum_length) return {};
  return symbol.empty() ? Integer(sum.number) : Integer(Dim(std::string_view(*sums_.insert(std::move(symbol)).first)));
}

GRAFT_INLINE Integer KnownContents::sum(const Integer& a, const Integer& b) {
  if (const Integer known = infer::add(a, b); known.known() || known.symbolic()) return known;
  const auto left = infer::sum_of(a), right = infer::sum_of(b);
  const auto both = left && right ? infer::add(*left, *right) : std::nullopt;
  return both ? integer_of(*both) : Integer();
}

GRAFT_INLINE Integer KnownContents::difference(const Integer& a, const Integer& b) {
  if (const Integer known = infer::subtract(a, b); known.known() || known.symbolic()) return known;
  const auto left = infer::sum_of(a), right = infer::sum_of(b);
  const auto rest = left && right ? infer::subtract(*left, *right) : std::nullopt;
  return rest ? integer_of(*rest) : Integer();
}

GRAFT_INLINE void KnownContents::forget() {
  memo_.clear();
  kept_ = 0;
}

GRAFT_INLINE void KnownContents::forget_if_edited(const Model& model) {
  if (holds_ != 0 || is_current(model)) return;
  forget();
  model_ = &model;
  edits_ = model.edit_count();
}

}  // namespace graft::inline v1
