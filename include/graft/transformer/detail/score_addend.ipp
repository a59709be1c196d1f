#pragma once
#include <graft/transformer/detail/score_addend.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/transformer/detail/made_already.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void ScoreAddend::add(Value* more) {
  if (more == nullptr) return;
  if (sum_ == nullptr) {
    sum_ = more;
    return;
  }
  may_overflow_ = dtype_ == DType::f16;
  Value* const made = made_already("Add", {sum_, more}, root_);
  sum_ = made != nullptr ? made : &rewriter_.op("Add", {sum_, more});
}

GRAFT_INLINE void ScoreAddend::hide(Value& condition, const Tensor& low, bool keeps) {
  // Adding -0 changes nothing.
  const bool is_biased = sum_ != nullptr;
  Value& others = is_biased ? *sum_ : rewriter_.constant(Tensor::of<float>(low.dtype(), {}, {-0.0F}), "nothing");
  Value& hidden = rewriter_.constant(low.reshaped({}), "hidden");
  Value *const first = keeps ? &others : &hidden, *const second = keeps ? &hidden : &others;
  sum_ = made_already("Where", {&condition, first, second}, root_);
  if (sum_ != nullptr) return;
  sum_ = &rewriter_.op("Where", {&condition, first, second});
  if (!is_biased) rewriter_.set_type(*sum_, tensor_type(low.dtype(), condition.shape()));
}

}  // namespace graft::inline v1::detail
