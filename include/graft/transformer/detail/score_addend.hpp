#pragma once
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// What is added to scores: the sum of their biases, and of their mask. Several attentions share it, where they add the
/// same.
class ScoreAddend {
 public:
  ScoreAddend(Rewriter& rewriter, const Node& root, DType dtype) : rewriter_(rewriter), root_(root), dtype_(dtype) {}

  void add(Value* more);
  /// Hides the scores that a condition does not keep, or that it hides, with their biases.
  void hide(Value& condition, const Tensor& low, bool keeps);

  /// nullptr if nothing is added.
  Value* sum() const { return sum_; }
  /// Whether the sum may be infinite though the scores would not be.
  bool may_overflow() const { return may_overflow_; }

 private:
  Rewriter& rewriter_;
  const Node& root_;
  DType dtype_;
  Value* sum_ = nullptr;
  bool may_overflow_ = false;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/score_addend.ipp>
#endif
